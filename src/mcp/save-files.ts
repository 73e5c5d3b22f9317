import { randomBytes } from 'node:crypto'
import { lstat, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { downloadFile } from '../client/download.ts'
import { MediaError } from '../contract/errors.ts'
import { extensionOf } from '../contract/file-kind.ts'
import type { MaterialLink } from '../contract/library-routes.ts'
import { routes } from '../contract/routes.ts'
import type { HeldFolder } from '../platform/held-folder.ts'
import { errorCode } from '../platform/system-error.ts'
import type { ResultFile } from './file-delivery.ts'
import { openAllowedFolder, openExistingParent } from './open-allowed.ts'
import { chooseFileNames, ownName, type SavableFile, splitSaveTo } from './result-names.ts'
import type { InputFile, SavedFile, SavedPlace, Session } from './session.ts'
import { assertUsable } from './workspace.ts'

interface SaveFilesOptions {
  readonly files: readonly ResultFile[]
  /** A folder, or a name for the files, as the agent wrote it. */
  readonly saveTo: string
  /** Local files that the results were made from; their own names replace those of earlier equal uploads. */
  readonly inputFiles?: readonly InputFile[] | undefined
}

interface SaveFilesContext {
  readonly signal: AbortSignal
  progress(percent: number): void
}

/** Checks that the folder of `save_to` is allowed and writable before any work starts; does not create it. Throws 6016. */
export async function checkSaveTo(session: Session, saveTo: string | undefined): Promise<void> {
  if (saveTo === undefined) return
  try {
    const folders = await session.delivery.folders()
    const target = splitSaveTo(saveTo)
    await using parent = await openExistingParent(folders, target.folder)
    const folder = join(parent.path, ...parent.missing)
    if (target.name !== undefined) await assertUsable(folders, { real: join(folder, target.name) }, saveTo)
    await lstat(folder).catch((error: unknown) => {
      if (errorCode(error) === 'ENAMETOOLONG') throw error
    })
    const probe = join(parent.base, `.reelwright-${randomBytes(6).toString('hex')}`)
    await writeFile(probe, '', { flag: 'wx' })
    await rm(probe)
  } catch (error) {
    throw explainSaveError(error, saveTo)
  }
}

/**
 * Saves into the folder of `save_to`, which is created if it is missing. If this fails, new folders are removed unless
 * they contain something.
 */
export async function saveIntoFolder<T>(
  session: Session,
  folderName: string,
  save: (folder: HeldFolder, check: (name: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const folders = await session.delivery.folders()
  await using parent = await openExistingParent(folders, folderName)
  try {
    await using folder = await openAllowedFolder(folders, folderName)
    return await save(folder, (name) =>
      assertUsable(folders, { real: join(folder.path, name) }, join(folderName, name)),
    )
  } catch (error) {
    for (let count = parent.missing.length; count > 0; count -= 1)
      await rmdir(join(parent.base, ...parent.missing.slice(0, count))).catch(() => undefined)
    throw error
  }
}

/** Downloads files to the agent's folder. An identical file that exists there is reused. */
export async function saveFiles(
  session: Session,
  { files, saveTo, inputFiles = [] }: SaveFilesOptions,
  context: SaveFilesContext,
): Promise<SavedFile[]> {
  const found = await Promise.all(
    files.map(async ({ file_id, ...rest }) => {
      const record = await session.client.call(routes.fileDetails, { params: { file_id } })
      return { ...rest, record: { ...record, original_name: ownName(record.original_name, inputFiles) } }
    }),
  )
  const saved = await saveRecords(session, { files: found, saveTo }, context)
  return saved.map(({ file: { record, role, duration }, ...place }) => {
    const { file_id, original_name: name } = record
    session.files.remember(file_id, { name })
    return { file_id, role, ...(duration !== undefined && { duration }), ...place }
  })
}

/**
 * Downloads a material of the library, and the accompaniment of a song after it, to the agent's folder. An identical file
 * that exists there is reused.
 */
export async function saveMaterial(
  session: Session,
  { id, saveTo }: { readonly id: number; readonly saveTo: string },
  context: SaveFilesContext,
): Promise<SavedPlace[]> {
  const { links } = await session.client.call(routes.linkMaterials, {
    body: { ids: [id], accompaniment: true },
  })
  const toFile = ({ name, ...link }: Pick<MaterialLink, 'name' | 'size' | 'blake3_id' | 'download_url'>) => ({
    record: { ...link, original_name: name, base_ext: extensionOf(name) },
    role: 'accompaniment',
  })
  const files = links.flatMap(({ accompaniment: second, accompaniment_url: download_url, ...link }) => [
    toFile(link),
    ...(second && download_url !== undefined ? [toFile({ ...second, download_url })] : []),
  ])
  const saved = await saveRecords(session, { files, saveTo }, context)
  return saved.map(({ path, bytes, note }) => ({ path, bytes, ...(note !== undefined && { note }) }))
}

interface SavedRecord<F> extends SavedPlace {
  readonly file: F
}

async function saveRecords<F extends SavableFile>(
  session: Session,
  { files, saveTo }: { readonly files: readonly F[]; readonly saveTo: string },
  context: SaveFilesContext,
): Promise<SavedRecord<F>[]> {
  const target = splitSaveTo(saveTo)
  const total = Math.max(
    1,
    files.reduce((sum, { record }) => sum + record.size, 0),
  )
  const saved: SavedRecord<F>[] = []
  let before = 0
  try {
    return await saveIntoFolder(session, target.folder, async (folder, check) => {
      for (const { file, wanted, note } of chooseFileNames(files, target.name)) {
        const { record } = file
        await check(wanted)
        const name = await downloadFile(session.client, record, {
          folder: folder.base,
          name: wanted,
          signal: context.signal,
          onProgress: (bytes) => context.progress(((before + bytes) / total) * 100),
        })
        before += record.size
        saved.push({ file, path: join(folder.path, name), bytes: record.size, ...(note && { note }) })
      }
      return saved
    })
  } catch (error) {
    throw explainSaveError(error, saveTo)
  }
}

/** System errors that the agent or its user can resolve; any other error is a bug. */
const saveFailureReasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'the folder is not writable',
  EPERM: 'the folder is not writable',
  EROFS: 'the disk is read-only',
  ENAMETOOLONG: 'a name in it is too long',
  ENOTDIR: 'a part of the path is not a folder',
  ENOENT: 'the folder was removed at the same moment',
}

/** Explains a failure to save that the agent or its user can resolve; returns any other error. */
export function explainSaveError(error: unknown, saveTo: string): unknown {
  const code = errorCode(error) ?? ''
  const why = saveFailureReasons[code]
  if (why === undefined) return error
  return new MediaError(6016, `Files cannot be saved to ${saveTo}: ${why}`, {
    cause: error,
    // The folder is created again.
    ...(code === 'ENOENT' ? { retryable: true, hint: 'Call again.' } : { hint: 'Give another save_to.' }),
  })
}
