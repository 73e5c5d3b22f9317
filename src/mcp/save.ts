import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Client } from '../client/client.ts'
import { downloadFile } from '../client/download.ts'
import { safeFileName } from '../client/file-names.ts'
import type { TaskRef } from '../client/tasks.ts'
import { MediaError } from '../contract/errors.ts'
import { extensionOf, kindOf, type FileDetails } from '../contract/file.ts'
import { routes } from '../contract/routes.ts'
import { openFolderInside } from './open-inside.ts'
import type { ResultFile } from './result-files.ts'
import type { SavedFile, Session } from './session.ts'

interface Wish {
  readonly files: readonly ResultFile[]
  /** A folder, or for one file its name; both as the agent wrote it. */
  readonly saveTo: string
}

interface SaveContext {
  readonly signal: AbortSignal
  progress(percent: number): void
}

/** Folder for a task's results when the agent names none, relative to the workspace. */
export function defaultResultFolder({ task_type, task_id }: TaskRef): string {
  return join('reelwright-output', `${task_type}-${task_id.slice(-8)}`)
}

/** Refuses early what `saveFiles` would refuse, with 6016: a folder outside the allowed ones, or not to be written. Makes it. */
export async function checkSaveTo(session: Session, saveTo: string | undefined): Promise<void> {
  if (saveTo === undefined) return
  try {
    await using folder = await openFolderInside(await session.workspace.folders(), split(saveTo, 1).folder)
    const probe = join(folder.base, `.reelwright-${randomBytes(6).toString('hex')}`)
    await writeFile(probe, '', { flag: 'wx' })
    await rm(probe)
  } catch (error) {
    throw explain(error, saveTo)
  }
}

/** Downloads files to where the agent wants them; equal files that lie there already are used as they are. */
export async function saveFiles(
  session: Session,
  { files, saveTo }: Wish,
  context: SaveContext,
): Promise<SavedFile[]> {
  const target = split(saveTo, files.length)
  const records = await Promise.all(files.map((file) => detailsOf(session.client, file.file_id)))
  const total = Math.max(
    1,
    records.reduce((sum, { size }) => sum + size, 0),
  )
  const saved: SavedFile[] = []
  let before = 0
  try {
    await using folder = await openFolderInside(await session.workspace.folders(), target.folder)
    for (const [index, record] of records.entries()) {
      const wanted = target.name ?? safeFileName(record.original_name)
      const name = await downloadFile(session.client, record, {
        folder: folder.base,
        name: wanted,
        signal: context.signal,
        onProgress: (bytes) => context.progress(((before + bytes) / total) * 100),
      })
      before += record.size
      session.files.remember(record.file_id, { name: record.original_name })
      const file = files[index] ?? { file_id: record.file_id, role: 'result' }
      saved.push({ ...file, path: join(folder.path, name), bytes: record.size })
    }
  } catch (error) {
    throw explain(error, saveTo)
  }
  return saved
}

function detailsOf(client: Client, fileId: string): Promise<FileDetails> {
  return client.call(routes.fileDetails, { params: { file_id: fileId } })
}

/** `save_to` names a file when it ends in an extension the service knows and there is one file. */
function split(saveTo: string, count: number): { readonly folder: string; readonly name?: string } {
  const isFile = count === 1 && kindOf(extensionOf(basename(saveTo))) !== undefined
  return isFile ? { folder: dirname(saveTo), name: safeFileName(basename(saveTo)) } : { folder: saveTo }
}

/** What the agent or its user can do something about; everything else stays a bug. */
const explained: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'the folder may not be written',
  EPERM: 'the folder may not be written',
  EROFS: 'the disk is read-only',
  ENAMETOOLONG: 'a name in it is too long',
  ENOTDIR: 'a part of the path is not a folder',
}

function explain(error: unknown, saveTo: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const why = explained[code]
  if (why === undefined) return error
  return new MediaError(6016, `Files cannot be saved to ${saveTo}: ${why}`, {
    cause: error,
    hint: 'Give another save_to.',
  })
}
