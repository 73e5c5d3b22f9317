import { lstat, mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { extensionOf } from '../contract/file-kind.ts'
import type { MaterialRow } from '../db/schema.ts'
import type { EmbeddingModel } from '../engines/embedding/embedding-model.ts'
import type { SoundModel } from '../engines/embedding/sound-model.ts'
import { removeUnreferencedContent, requireContent } from '../files/content.ts'
import { failpoint } from '../platform/failpoint.ts'
import { hashBytes } from '../platform/hash.ts'
import { isInside } from '../platform/paths.ts'
import { errorCode } from '../platform/system-error.ts'
import { analyseFile, type FileAnalysis } from './analyse-file.ts'
import { addEmbeddings } from './embeddings.ts'
import { isDiskFull } from './full-disk.ts'
import type { OpenLibrary } from './open-library.ts'
import { checkUnchanged, linkOpenFile, openMaterialFile, type OpenMaterialFile } from './material-file.ts'
import {
  type LibraryFolder,
  moveMaterial,
  type MaterialVector,
  saveMaterial,
  saveVectors,
} from './records.ts'
import { releaseMaterial } from './remove-folder.ts'
import type { MediaFile } from './walk-folder.ts'

/** What an import did with a file. */
export type ImportOutcome = 'imported' | 'changed' | 'moved' | 'restored' | 'unchanged'

/** A model that is opened when it is first needed. */
export interface ImportModel<Model extends EmbeddingModel | SoundModel> extends Pick<
  Model,
  'name' | 'space'
> {
  open(): Promise<Model>
}

/** Models of an import. Without one, materials of its kind are found by their words alone. */
export interface ImportModels {
  /** Of images and of the shots of videos. */
  readonly model: ImportModel<EmbeddingModel> | undefined
  /** Of audio. */
  readonly soundModel: ImportModel<SoundModel> | undefined
}

/** Where and how files are imported. */
export interface ImportContext extends ImportModels {
  readonly library: OpenLibrary
  readonly folder: LibraryFolder
  readonly threads: number
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Receives the unknown fields of sidecars, by the path of their media file. */
  readonly unknownFields: Map<string, readonly string[]>
}

type DerivedContent = Pick<MaterialRow, 'cover' | 'preview' | 'thumb'>

/**
 * Imports a file in one short transaction, after its pictures and previews are stored: a process that ends before leaves
 * content that the next start of the service removes. Throws errors of the file.
 */
export async function importFile(context: ImportContext, file: MediaFile): Promise<ImportOutcome> {
  const { library, folder, clock } = context
  const known = await library.db
    .selectFrom('materials')
    .selectAll()
    .where('folder_id', '=', folder.id)
    .where('path', '=', file.path)
    .executeTakeFirst()
  const isSame =
    known?.size === file.size && known.modified_at === file.modifiedAt && known.sidecar === file.sidecarState
  if (known && isSame && (await hasVectors(context, known))) {
    if (known.state === 'active') return 'unchanged'
    await library.db
      .transaction()
      .execute((trx) => moveMaterial(trx, known, { state: 'active', now: clock() }))
    return 'restored'
  }
  await using opened = await withFileErrors(context, () => openMaterialFile(folder.path, file))
  const { blake3 } = await withFileErrors(context, () => hashBytes(opened.handle, { signal: context.signal }))
  if (known?.blake3 !== blake3 && (await adoptMoved(context, { file, blake3, known }))) return 'moved'
  // Equal bytes have equal vectors, also where this import has no model.
  const keepsVectors = known?.blake3 === blake3 && (await hasVectors(context, known))
  const read = async () => await readContent(context, { file, opened, keepsVectors })
  const content = await read()
  try {
    await store(context, { file, known, blake3, ...content })
  } catch (error) {
    if (isDiskFull(error) || (error instanceof MediaError && machineCodes.has(error.code))) throw error
    // A service that starts meanwhile empties the folder through which files enter the store.
    await store(context, { file, known, blake3, ...(await read()) })
  }
  return known ? 'changed' : 'imported'
}

/** Whether a material has vectors of the model of its scope, if it needs any. */
async function hasVectors(context: ImportContext, { id, scope }: MaterialRow): Promise<boolean> {
  const { library, model: pictureModel, soundModel } = context
  const model = scope === 'audio' ? soundModel : pictureModel
  if (!model) return true
  const row = await library.db
    .selectFrom('material_vectors')
    .select('part')
    .where('material_id', '=', id)
    .where('space', '=', model.space)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

interface ReadContentOptions {
  readonly file: MediaFile
  readonly opened: OpenMaterialFile
  /** Whether the recorded vectors are kept. */
  readonly keepsVectors: boolean
}

/** Reads an opened file, into an empty work folder. Throws 6036 if it was changed meanwhile. */
async function readContent(
  context: ImportContext,
  { file, opened, keepsVectors }: ReadContentOptions,
): Promise<Pick<StoredFile, 'analysis' | 'vectors'>> {
  const { library, folder, threads, signal } = context
  const model = keepsVectors ? undefined : context.model
  const work = join(library.work, 'file')
  await rm(work, { recursive: true, force: true })
  await mkdir(work)
  const link = join(work, `source${extensionOf(file.path)}`)
  const path = await linkOpenFile(opened, { path: join(folder.path, file.path), link })
  const options = { folder: folder.path, file, work, embeds: model !== undefined, threads }
  const analysis = await withFileErrors(context, () => analyseFile(path, options))
  if (analysis.unknownFields.length > 0) context.unknownFields.set(file.path, analysis.unknownFields)
  const isSound = analysis.facts.scope === 'audio'
  const vectors = [
    ...(model ? await embedPictures(model, analysis, signal) : []),
    ...(isSound && !keepsVectors ? await embedSound(context, path) : []),
  ]
  await withFileErrors(context, () => checkUnchanged(folder.path, file.path, opened))
  return { analysis, vectors: keepsVectors ? undefined : vectors }
}

/** Runs work whose errors of the system are those of the file, outside of the work folder: they become 6017. */
async function withFileErrors<Result>(
  { library }: ImportContext,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const code = errorCode(error)
    const isOwn = error instanceof Error && 'path' in error && isInside(library.work, String(error.path))
    if (code === undefined || !fileCodes.has(code) || isOwn) throw error
    throw new MediaError(6017, `it cannot be read (${code})`, { cause: error })
  }
}

/** Finds the material of a file that was moved inside the folder, and records its new path. known: what was there before. */
async function adoptMoved(
  { library, folder, clock }: ImportContext,
  { file, blake3, known }: Pick<StoredFile, 'file' | 'blake3' | 'known'>,
): Promise<boolean> {
  const candidates = await library.db
    .selectFrom('materials')
    .selectAll()
    .where('folder_id', '=', folder.id)
    .where('blake3', '=', blake3)
    .execute()
  for (const row of candidates) {
    // A sidecar may state something else about the file at its new path.
    if (row.sidecar !== file.sidecarState || (await fileExists(join(folder.path, row.path)))) continue
    const change = { path: file.path, state: 'active', modified_at: file.modifiedAt } as const
    await library.db.transaction().execute(async (trx) => {
      if (known) await releaseMaterial(trx, known, clock())
      await moveMaterial(trx, row, { ...change, now: clock() })
    })
    if (known) await removeContents(library, hashes(known))
    return true
  }
  return false
}

async function fileExists(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  )
}

async function embedPictures(
  { open, space }: ImportModel<EmbeddingModel>,
  { pictures }: FileAnalysis,
  signal: AbortSignal,
): Promise<MaterialVector[]> {
  if (pictures.length === 0) return []
  const model = await open()
  const vectors = await model.embedImages(
    pictures.map(({ path }) => path),
    { signal },
  )
  return vectors.map((values, index) => ({
    ...{ startMs: pictures[index]?.startMs ?? 0, space, values },
  }))
}

async function embedSound({ soundModel, signal }: ImportContext, path: string): Promise<MaterialVector[]> {
  if (!soundModel) return []
  const model = await soundModel.open()
  const vectors = await model.embedSound(path, { signal })
  return vectors.map((vector) => ({ ...vector, space: soundModel.space }))
}

interface StoredFile {
  readonly file: MediaFile
  /** Material of the path before. */
  readonly known: MaterialRow | undefined
  readonly blake3: string
  readonly analysis: FileAnalysis
  /** Undefined: those of the recorded material are kept. */
  readonly vectors: readonly MaterialVector[] | undefined
}

async function store(context: ImportContext, stored: StoredFile): Promise<void> {
  const { library, folder, clock } = context
  const { file, known, blake3, analysis, vectors } = stored
  const contents: DerivedContent = { cover: null, preview: null, thumb: null }
  try {
    for (const name of ['cover', 'preview', 'thumb'] as const) {
      const path = analysis.contents[name]
      if (path !== undefined) contents[name] = (await library.files.adopt(path)).blake3
      failpoint('library.content.stored')
    }
    const { path, size, modifiedAt, sidecarState } = file
    const content = {
      ...{ ...analysis.facts, ...contents, path, name: basename(path) },
      ...{ blake3, size, modified_at: modifiedAt, sidecar: sidecarState },
    }
    await library.db.transaction().execute(async (trx) => {
      for (const hash of hashes(contents).toSorted()) await requireContent(trx, library.files, hash)
      // Grants are for the content that was found, so that another one has an id of its own.
      const isSame = known?.blake3 === blake3
      if (known && !isSame) await releaseMaterial(trx, known, clock())
      const sameId = isSame ? known.id : undefined
      const id = await saveMaterial(trx, { id: sameId, folderId: folder.id, content, now: clock() })
      await (vectors ? saveVectors(trx, id, vectors) : addEmbeddings(trx, [id]))
      failpoint('library.material.saved')
    })
  } catch (error) {
    await removeContents(library, hashes(contents))
    throw error
  }
  failpoint('library.file.imported')
  // Of the earlier version of the file.
  if (known) await removeContents(library, hashes(known))
}

function hashes({ cover, preview, thumb }: DerivedContent): string[] {
  return [cover, preview, thumb].filter((hash) => hash !== null)
}

async function removeContents(library: OpenLibrary, contents: readonly string[]): Promise<void> {
  for (const blake3 of contents) await removeUnreferencedContent(library, blake3)
}

/** Reason why a file is left out because of the file itself; undefined for other errors, which end the import. */
export function skipReason(error: unknown): string | undefined {
  const isOfFile = error instanceof MediaError && !machineCodes.has(error.code) && !isDiskFull(error)
  return isOfFile ? error.message : undefined
}

/** A missing program or model: every other file would fail as well. */
const machineCodes = new Set<number>([6401, 6002])

/** Errors of the system about one file. */
const fileCodes = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'EIO', 'ENAMETOOLONG', 'ESTALE'])
