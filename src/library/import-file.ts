import { lstat, mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import type { MaterialRow } from '../db/schema.ts'
import type { EmbeddingModel } from '../engines/embedding/embedding-model.ts'
import { removeUnreferencedContent, requireContent } from '../files/content.ts'
import { failpoint } from '../platform/failpoint.ts'
import { hashBytes } from '../platform/hash.ts'
import { analyseFile, type FileAnalysis } from './analyse-file.ts'
import type { OpenLibrary } from './open-library.ts'
import { checkMaterialFile, openMaterialFile } from './material-file.ts'
import { type LibraryFolder, moveMaterial, type PictureVector, saveMaterial, saveVectors } from './records.ts'
import type { MediaFile } from './walk-folder.ts'

/** What an import did with a file. */
export type ImportOutcome = 'imported' | 'changed' | 'moved' | 'restored' | 'unchanged'

/** A model that is opened when it is first needed. */
export interface ImportModel extends Pick<EmbeddingModel, 'name' | 'space'> {
  open(): Promise<EmbeddingModel>
}

/** Where and how files are imported. */
export interface ImportContext {
  readonly library: OpenLibrary
  readonly folder: LibraryFolder
  /** Undefined: materials are found by their words alone. */
  readonly model: ImportModel | undefined
  readonly threads: number
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  readonly clock: () => number
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
  const blake3 = await hashFile(context, file)
  if (!known && (await adoptMoved(context, file, blake3))) return 'moved'
  const work = join(library.work, 'file')
  await rm(work, { recursive: true, force: true })
  await mkdir(work)
  const { model, threads, signal } = context
  const analysis = await analyseFile(join(folder.path, file.path), {
    file,
    work,
    embeds: model !== undefined,
    threads,
  })
  const vectors = model ? await embed(model, analysis, signal) : []
  // It may have been written to meanwhile.
  await checkMaterialFile(folder.path, file)
  await store(context, { file, known, blake3, analysis, vectors })
  return known ? 'changed' : 'imported'
}

/** Whether a material has vectors of the model, if it needs any. */
async function hasVectors({ library, model }: ImportContext, { id, scope }: MaterialRow): Promise<boolean> {
  if (!model || scope === 'audio') return true
  const row = await library.db
    .selectFrom('material_vectors')
    .select('part')
    .where('material_id', '=', id)
    .where('space', '=', model.space)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

async function hashFile({ folder, signal }: ImportContext, file: MediaFile): Promise<string> {
  await using opened = await openMaterialFile(folder.path, file)
  const hashed = await hashBytes(opened.handle, { signal })
  return hashed.blake3
}

/** Finds the material of a file that was moved inside the folder, and records its new path. */
async function adoptMoved(
  { library, folder, clock }: ImportContext,
  file: MediaFile,
  blake3: string,
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
    await library.db.transaction().execute((trx) => moveMaterial(trx, row, { ...change, now: clock() }))
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

async function embed(
  { open, space }: ImportModel,
  { pictures }: FileAnalysis,
  signal: AbortSignal,
): Promise<PictureVector[]> {
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

interface StoredFile {
  readonly file: MediaFile
  readonly known: MaterialRow | undefined
  readonly blake3: string
  readonly analysis: FileAnalysis
  readonly vectors: readonly PictureVector[]
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
      const id = await saveMaterial(trx, { id: known?.id, folderId: folder.id, content, now: clock() })
      await saveVectors(trx, id, vectors)
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

/** Error of a file that is left out because of the file itself; other errors end the import. */
export function skipReason(error: unknown): string | undefined {
  if (error instanceof MediaError) return machineCodes.has(error.code) ? undefined : error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return fileCodes.has(code) ? `it cannot be read (${code})` : undefined
}

/** A missing program or model, and a full disk: every other file would fail as well. */
const machineCodes = new Set<number>([6401, 6002])

/** Errors of the system about one file. */
const fileCodes = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'EIO', 'ENAMETOOLONG', 'ESTALE'])
