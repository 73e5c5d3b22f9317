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
import { errorCode } from '../platform/error-code.ts'
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
    await using folder = await openFolderInside(await session.place.folders(), split(saveTo).folder)
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
  const target = split(saveTo)
  if (target.name !== undefined && files.length > 1) {
    throw new MediaError(6016, `${saveTo} names one file, and there are ${files.length} files`, {
      hint: 'Give a folder as save_to.',
    })
  }
  const records = await Promise.all(files.map((file) => detailsOf(session.client, file.file_id)))
  const total = Math.max(
    1,
    records.reduce((sum, { size }) => sum + size, 0),
  )
  const saved: SavedFile[] = []
  let before = 0
  try {
    await using folder = await openFolderInside(await session.place.folders(), target.folder)
    for (const [index, record] of records.entries()) {
      const { wanted, note } = nameFor(record, target.name)
      const name = await downloadFile(session.client, record, {
        folder: folder.base,
        name: wanted,
        signal: context.signal,
        onProgress: (bytes) => context.progress(((before + bytes) / total) * 100),
      })
      before += record.size
      session.files.remember(record.file_id, { name: record.original_name })
      const file = files[index] ?? { file_id: record.file_id, role: 'result' }
      saved.push({ ...file, path: join(folder.path, name), bytes: record.size, ...(note && { note }) })
    }
  } catch (error) {
    throw explain(error, saveTo)
  }
  return saved
}

function detailsOf(client: Client, fileId: string): Promise<FileDetails> {
  return client.call(routes.fileDetails, { params: { file_id: fileId } })
}

/** `save_to` names a file when it ends in an extension the service knows, and not as folders do. */
function split(saveTo: string): { readonly folder: string; readonly name?: string } {
  const isFile = kindOf(extensionOf(basename(saveTo))) !== undefined && !/[/\\]$/.test(saveTo)
  return isFile ? { folder: dirname(saveTo), name: safeFileName(basename(saveTo)) } : { folder: saveTo }
}

/** The agent's name for a file, but never with another type's extension. */
function nameFor(
  { original_name, base_ext }: FileDetails,
  name: string | undefined,
): { wanted: string; note?: string } {
  if (name === undefined) return { wanted: safeFileName(original_name) }
  const [asked, real] = [extensionOf(name), base_ext.toLowerCase()]
  if (sameType(asked) === sameType(real)) return { wanted: name }
  return {
    wanted: safeFileName(name.slice(0, -asked.length) + real),
    note: `The file is ${real}, so it is not named ${asked}.`,
  }
}

function sameType(extension: string): string {
  return extension === '.jpeg' ? '.jpg' : extension
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
  const why = explained[errorCode(error) ?? '']
  if (why === undefined) return error
  return new MediaError(6016, `Files cannot be saved to ${saveTo}: ${why}`, {
    cause: error,
    hint: 'Give another save_to.',
  })
}
