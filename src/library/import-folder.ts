import { lstat, realpath, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import type { LibraryScope } from '../contract/library.ts'
import { findPrivateFolder, type PrivateFolder } from '../platform/private-folders.ts'
import { ImagesRefusedError } from '../engines/embedding/image-error.ts'
import { isInside } from '../platform/paths.ts'
import { errorCode } from '../platform/system-error.ts'
import {
  importFile,
  type ImportContext,
  type ImportModels,
  type ImportOutcome,
  skipReason,
} from './import-file.ts'
import type { OpenLibrary } from './open-library.ts'
import { findFolder, type LibraryFolder, moveMaterial, saveFolder } from './records.ts'
import { type FolderContent, type MediaFile, type SkippedFile, walkFolder } from './walk-folder.ts'

/** What is imported, and how. */
export interface ImportFolderOptions extends ImportModels {
  readonly path: string
  readonly licence: string
  readonly attribution: string
  /** Folders of the service, which are never imported. */
  readonly privateFolders: readonly PrivateFolder[]
  readonly threads: number
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Called before each file, counted from 1. */
  readonly onFile: (file: MediaFile, position: { readonly index: number; readonly total: number }) => void
}

/** Result of an import: numbers of files, and what was left out. */
export interface ImportSummary extends Readonly<Record<ImportOutcome, number>> {
  /** Real path of the folder. */
  readonly path: string
  readonly licence: string
  readonly attribution: string
  /** The folder as it was before; undefined for a new one. */
  readonly before: LibraryFolder | undefined
  /** Media files that the folder contains. */
  readonly files: number
  /** Materials whose file no longer exists. */
  readonly missing: number
  readonly skipped: readonly SkippedFile[]
  /** Unknown fields of the sidecars that were read, by the path of their media file. */
  readonly unknownFields: ReadonlyMap<string, readonly string[]>
  /** See `FolderContent`, also for the next two. */
  readonly others: FolderContent['others']
  readonly hidden: number
  readonly accompaniments: number
  /** Set where the embedding service refused images. */
  readonly refusal: ImagesRefusedError | undefined
}

/**
 * Imports the media files of a folder into the library, or what changed since an earlier import. One file at a time; a file
 * that fails is skipped, and one whose picture the embedding service refuses is found by its words. Throws 6016 for what is
 * no folder, is the service's own, overlaps another folder of the library or is without its disk, 6401 for a model of another
 * vector space than the library has for its scopes, and errors of the machine, such as a full disk; a repeated call continues.
 */
export async function importFolder(
  library: OpenLibrary,
  options: ImportFolderOptions,
): Promise<ImportSummary> {
  const { licence, attribution, privateFolders, model, soundModel, clock } = options
  const path = await openFolderPath(options.path, privateFolders)
  await checkOverlap(library, path)
  if (model) await checkSpace(library, model, ['clip', 'image'])
  if (soundModel) await checkSpace(library, soundModel, ['audio'])
  const content = await walkFolder(path, privateFolders)
  const before = await findFolder(library.db, path)
  if (before && isEmpty(content)) await checkWithoutMaterials(library, before)
  const folder = await saveFolder(library.db, { path, licence, attribution }, clock())
  const { threads, signal } = options
  const unknownFields = new Map<string, readonly string[]>()
  const context = { library, folder, model, soundModel, threads, signal, clock, unknownFields }
  const counts: Record<ImportOutcome, number> = {
    ...{ imported: 0, changed: 0, moved: 0, restored: 0, unchanged: 0 },
  }
  const skipped = [...content.skipped]
  const importOne = importer(context)
  let refusal: ImagesRefusedError | undefined
  for (const [index, file] of content.files.entries()) {
    signal.throwIfAborted()
    options.onFile(file, { index: index + 1, total: content.files.length })
    try {
      const result = await importOne(file)
      counts[result.outcome] += 1
      refusal ??= result.refusal
    } catch (error) {
      const reason = skipReason(error)
      if (reason === undefined) throw error
      skipped.push({ path: file.path, reason })
    }
  }
  await rm(join(library.work, 'file'), { recursive: true, force: true })
  const missing = await markMissingFiles(context, content.files)
  const { others, hidden, accompaniments } = content
  const found = { files: content.files.length, skipped, others, hidden, accompaniments }
  return { ...counts, ...found, path, licence, attribution, before, missing, unknownFields, refusal }
}

/**
 * Returns a function that imports one file after another. A file whose picture the embedding service refuses is imported
 * by its words; the service is asked for further ones only if the library has vectors of it.
 */
function importer(context: ImportContext) {
  const { library, model } = context
  const withoutPictures = { ...context, model: undefined }
  let current = context
  return async (file: MediaFile) => {
    try {
      return { outcome: await importFile(current, file) }
    } catch (error) {
      if (!model || !(error instanceof ImagesRefusedError)) throw error
      if (!(await hasSpace(library, model.space))) current = withoutPictures
      return { outcome: await importFile(withoutPictures, file), refusal: error }
    }
  }
}

async function hasSpace({ db }: OpenLibrary, space: string): Promise<boolean> {
  const row = await db
    .selectFrom('material_vectors')
    .select('part')
    .where('space', '=', space)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the real path of a folder. Throws 6016 if it is none, or only the service uses it. */
async function openFolderPath(given: string, privateFolders: readonly PrivateFolder[]): Promise<string> {
  const path = await realpath(resolve(given)).catch((error: unknown) => {
    throw new MediaError(6016, `${given} cannot be opened (${errorCode(error)})`, {
      cause: error,
      hint: 'Name an existing folder.',
    })
  })
  if (!(await stat(path)).isDirectory()) {
    throw new MediaError(6016, `${given} is no folder`, { hint: 'Name the folder of the files.' })
  }
  const owned = await findPrivateFolder(privateFolders, path)
  if (!owned) return path
  throw new MediaError(6016, `${given} is in the ${owned.use} of the service`, {
    hint: 'Name a folder with your own media files.',
  })
}

/** Throws 6016 if another folder of the library contains the folder or is inside it: its files would be materials twice. */
async function checkOverlap({ db }: OpenLibrary, path: string): Promise<void> {
  const folders = await db.selectFrom('library_folders').select('path').where('path', '!=', path).execute()
  const known = folders.find((one) => isInside(one.path, path) || isInside(path, one.path))
  if (!known) return
  throw new MediaError(6016, `${known.path} is in the library and overlaps ${path}`, {
    hint: 'Add the known folder again, or remove it first: reelwright library remove <folder>.',
  })
}

/** Whether a folder contains no file at any depth. */
function isEmpty({ files, skipped, others, hidden, accompaniments }: FolderContent): boolean {
  return files.length + skipped.length + others.size + hidden + accompaniments === 0
}

/** Throws 6016 if an empty folder has materials that are found: a folder without its disk is empty. */
async function checkWithoutMaterials({ db }: OpenLibrary, { id, path }: LibraryFolder): Promise<void> {
  const material = await db
    .selectFrom('materials')
    .select('id')
    .where('folder_id', '=', id)
    .where('state', '=', 'active')
    .limit(1)
    .executeTakeFirst()
  if (!material) return
  throw new MediaError(6016, `${path} contains no files, but the library has materials of it`, {
    hint:
      'Mount its disk, then repeat the command. If its files are lost, remove it from the library: ' +
      '`reelwright library remove <folder>`.',
  })
}

/** Throws 6401 if scopes have vectors of another space, which cannot be compared with those of their model. */
async function checkSpace(
  { db }: OpenLibrary,
  { name, space }: { readonly name: string; readonly space: string },
  scopes: readonly LibraryScope[],
): Promise<void> {
  const other = await db
    .selectFrom('material_vectors')
    .innerJoin('materials', 'materials.id', 'material_vectors.material_id')
    .select('space')
    .where('space', '!=', space)
    .where('scope', 'in', scopes)
    .limit(1)
    .executeTakeFirst()
  if (!other) return
  throw new MediaError(6401, `the library has vectors of ${other.space}, and ${name} has others`, {
    retryable: false,
    hint:
      `Use the model of ${other.space}. To use ${name} instead, remove every folder with ` +
      '`reelwright library remove <folder>`, then add them again.',
  })
}

/** Marks materials whose file no longer exists, so that they are not found. Returns their number. */
async function markMissingFiles(
  { library, folder, clock }: ImportContext,
  files: readonly MediaFile[],
): Promise<number> {
  const listed = new Set(files.map(({ path }) => path))
  const rows = await library.db
    .selectFrom('materials')
    .select(['id', 'path'])
    .where('folder_id', '=', folder.id)
    .where('state', '=', 'active')
    .execute()
  let missing = 0
  for (const { id, path } of rows) {
    if (listed.has(path) || !(await isGone(join(folder.path, path)))) continue
    await library.db.transaction().execute(async (trx) => {
      const row = await trx.selectFrom('materials').selectAll().where('id', '=', id).executeTakeFirst()
      if (row) await moveMaterial(trx, row, { state: 'missing', now: clock() })
    })
    missing += 1
  }
  return missing
}

/** Whether a file no longer exists; false if that cannot be known, such as for a folder that cannot be read. */
async function isGone(path: string): Promise<boolean> {
  try {
    return !(await lstat(path)).isFile()
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')
  }
}
