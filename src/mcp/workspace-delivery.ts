import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Client } from '../client/client.ts'
import { downloadFile } from '../client/download.ts'
import { safeFileName } from '../client/file-names.ts'
import type { TaskRef } from '../client/tasks.ts'
import { MediaError } from '../contract/errors.ts'
import { extensionOf, kindOf } from '../contract/file-kind.ts'
import type { FileDetails } from '../contract/file.ts'
import { routes } from '../contract/routes.ts'
import { errorCode } from '../platform/system-error.ts'
import { type CompletedTask, type FileDelivery, findResultFiles, type ResultFile } from './file-delivery.ts'
import { isExistingFile, openAllowedFolder } from './open-allowed.ts'
import { describeError } from './reply.ts'
import type { SavedFile, Session } from './session.ts'
import type { DeliveryState } from './snapshot.ts'
import { progressShares, type ToolCall } from './tool.ts'
import { createWorkspace, type WorkspaceOptions } from './workspace.ts'

/** The client works on this machine: paths are taken, and results are saved into its workspace. */
export function workspaceDelivery(options: WorkspaceOptions): FileDelivery {
  const workspace = createWorkspace(options)
  return {
    instructions:
      'A media studio. Give local file paths straight to the tools; files are uploaded and results are saved into ' +
      'the workspace. Long work answers with a task and goes on by itself: follow next_step, usually get_task.',
    adaptSchema: (published) => published,
    adaptTools: (all) => all,
    folders: () => workspace.folders(),
    hasFile: async (name) => isExistingFile(await workspace.folders(), name),
    setRoots: (roots) => workspace.setRoots(roots),
    async statusFields() {
      const { workspace: folder, allowed, refused } = await workspace.folders()
      return {
        workspace: folder,
        allowed_folders: allowed,
        ...(refused.length > 0 && { refused_folders: refused }),
      }
    },
    deliver: saveResults,
  }
}

async function saveResults(
  session: Session,
  { view, task }: CompletedTask,
  call: Pick<ToolCall, 'signal' | 'progress'>,
): Promise<DeliveryState> {
  const files = findResultFiles(view.output_result ?? {})
  if (files.length === 0) return { saved: [] }
  const saveTo = task.save_to ?? defaultResultFolder(view)
  const transfer = session.saves.join(`${view.task_id} ${saveTo}`, (context) =>
    saveFiles(session, { files, saveTo }, context),
  )
  const { worked } = progressShares
  try {
    const saved = await transfer.within(call.signal, (percent) =>
      call.progress(worked + (percent / 100) * (99 - worked), `saving ${percent} %`),
    )
    return saved ? { saved } : { underWay: transfer.progress }
  } catch (error) {
    // The task is done and paid; that its files could not be saved must not hide it.
    if (error instanceof MediaError) return { failed: describeError(error) }
    throw error
  }
}

interface SaveFilesOptions {
  readonly files: readonly ResultFile[]
  /** A folder, or a name for the files; both as the agent wrote it. */
  readonly saveTo: string
}

interface SaveFilesContext {
  readonly signal: AbortSignal
  progress(percent: number): void
}

/** Folder for a task's results when the agent names none, relative to the workspace. */
function defaultResultFolder({ task_type, task_id }: TaskRef): string {
  return join('reelwright-output', `${task_type}-${task_id.slice(-8)}`)
}

/** Refuses early what `saveFiles` would refuse, with 6016: a folder outside the allowed ones, or not to be written. Makes it. */
export async function checkSaveTo(session: Session, saveTo: string | undefined): Promise<void> {
  if (saveTo === undefined) return
  try {
    await using folder = await openAllowedFolder(await session.delivery.folders(), splitSaveTo(saveTo).folder)
    const probe = join(folder.base, `.reelwright-${randomBytes(6).toString('hex')}`)
    await writeFile(probe, '', { flag: 'wx' })
    await rm(probe)
  } catch (error) {
    throw explainSaveError(error, saveTo)
  }
}

/** Downloads files to where the agent wants them; equal files that lie there already are used as they are. */
export async function saveFiles(
  session: Session,
  { files, saveTo }: SaveFilesOptions,
  context: SaveFilesContext,
): Promise<SavedFile[]> {
  const target = splitSaveTo(saveTo)
  const found = await Promise.all(
    files.map(async (file) => ({ file, record: await fetchFileDetails(session.client, file.file_id) })),
  )
  const total = Math.max(
    1,
    found.reduce((sum, { record }) => sum + record.size, 0),
  )
  const saved: SavedFile[] = []
  let before = 0
  try {
    await using folder = await openAllowedFolder(await session.delivery.folders(), target.folder)
    for (const { file, record, wanted, note } of chooseFileNames(found, target.name)) {
      const name = await downloadFile(session.client, record, {
        folder: folder.base,
        name: wanted,
        signal: context.signal,
        onProgress: (bytes) => context.progress(((before + bytes) / total) * 100),
      })
      before += record.size
      session.files.remember(record.file_id, { name: record.original_name })
      saved.push({ ...file, path: join(folder.path, name), bytes: record.size, ...(note && { note }) })
    }
  } catch (error) {
    throw explainSaveError(error, saveTo)
  }
  return saved
}

function fetchFileDetails(client: Client, fileId: string): Promise<FileDetails> {
  return client.call(routes.fileDetails, { params: { file_id: fileId } })
}

/** `save_to` names a file when it ends in an extension the service knows, and not as folders do. */
function splitSaveTo(saveTo: string): { readonly folder: string; readonly name?: string } {
  const isFile = kindOf(extensionOf(basename(saveTo))) !== undefined && !/[/\\]$/.test(saveTo)
  return isFile ? { folder: dirname(saveTo), name: safeFileName(basename(saveTo)) } : { folder: saveTo }
}

interface FileToSave {
  readonly file: ResultFile
  readonly record: FileDetails
}

type NamedFile = FileToSave & { readonly wanted: string; readonly note?: string }

/**
 * What files are called: as the service suggests, or all by the agent's name, each with the extension of its own type;
 * a further one of a type has its role in its name.
 */
function chooseFileNames(found: readonly FileToSave[], name: string | undefined): NamedFile[] {
  if (name === undefined)
    return found.map((one) => ({ ...one, wanted: safeFileName(one.record.original_name) }))
  const asked = extensionOf(name)
  const stem = name.slice(0, -asked.length)
  const types = found.map(({ record }) => record.base_ext.toLowerCase())
  const isOfNone = types.every((type) => normalizeExtension(type) !== normalizeExtension(asked))
  return found.map((one, index) => {
    const type = types[index] ?? ''
    const role = types.indexOf(type) < index ? `-${one.file.role}` : ''
    const extension = normalizeExtension(type) === normalizeExtension(asked) ? name.slice(stem.length) : type
    const isTold = isOfNone && index === 0
    return {
      ...{ ...one, wanted: safeFileName(stem + role + extension) },
      ...(isTold && { note: `The file is ${type}, so it is not named ${asked}.` }),
    }
  })
}

function normalizeExtension(extension: string): string {
  return extension === '.jpeg' ? '.jpg' : extension
}

/** What the agent or its user can do something about; everything else stays a bug. */
const saveFailureReasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'the folder may not be written',
  EPERM: 'the folder may not be written',
  EROFS: 'the disk is read-only',
  ENAMETOOLONG: 'a name in it is too long',
  ENOTDIR: 'a part of the path is not a folder',
}

function explainSaveError(error: unknown, saveTo: string): unknown {
  const why = saveFailureReasons[errorCode(error) ?? '']
  if (why === undefined) return error
  return new MediaError(6016, `Files cannot be saved to ${saveTo}: ${why}`, {
    cause: error,
    hint: 'Give another save_to.',
  })
}
