import { randomBytes } from 'node:crypto'
import { readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '../client/client.ts'
import { downloadFile, saveBytes } from '../client/download.ts'
import type { TaskRef } from '../client/tasks.ts'
import { MediaError } from '../contract/errors.ts'
import { extensionOf } from '../contract/file-kind.ts'
import type { FileDetails } from '../contract/file.ts'
import { routes } from '../contract/routes.ts'
import { isInside } from '../platform/paths.ts'
import { outermostPrivatePaths } from '../platform/private-folders.ts'
import { errorCode } from '../platform/system-error.ts'
import { type CompletedTask, type FileDelivery, findResultFiles, type ResultFile } from './file-delivery.ts'
import { isExistingFile, openAllowedFolder } from './open-allowed.ts'
import { describeError } from './reply.ts'
import { chooseFileNames, type FileToSave, nameStem, ownName, splitSaveTo } from './result-names.ts'
import type { InputFile, SavedFile, Session } from './session.ts'
import type { DeliveryState } from './snapshot.ts'
import { findSavedPlace, recordSavedPlace, resultsFolder } from './saved-places.ts'
import { progressShares, type ToolCall } from './tool.ts'
import { assertUsable, createWorkspace, type WorkspaceOptions } from './workspace.ts'

/** Delivery to a client on this machine: it names files by path, and results are saved into its workspace. */
export function workspaceDelivery(options: WorkspaceOptions): FileDelivery {
  const workspace = createWorkspace(options)
  return {
    instructions:
      'A media studio. Pass local file paths to the tools; files are uploaded, and results are saved into the ' +
      'workspace. Long work returns a task that runs in the background: follow next_step, usually get_task.',
    adaptSchema: (published) => published,
    adaptTools: (all) => all,
    folders: () => workspace.folders(),
    hasFile: async (name) => isExistingFile(await workspace.folders(), name),
    setRoots: (roots) => workspace.setRoots(roots),
    async statusFields() {
      const { workspace: folder, allowed, refused, privateFolders } = await workspace.folders()
      const inside = outermostPrivatePaths(privateFolders).filter((path) =>
        allowed.some((one) => isInside(one, path)),
      )
      return {
        workspace: folder,
        allowed_folders: allowed,
        ...(refused.length > 0 && { refused_folders: refused }),
        ...(inside.length > 0 && { private_folders: inside }),
      }
    },
    deliver: saveResults,
    savedPaths: async (session, task) =>
      session.tasks.get(task.task_id)?.saved ??
      (await findSavedPlace(await workspace.folders(), task.task_id))?.paths ??
      (await listSaved(session, task)),
  }
}

/** Paths in the default folder of a task's results; empty if it does not exist or may not be read. */
async function listSaved(session: Session, task: TaskRef): Promise<readonly string[]> {
  const folders = await session.delivery.folders()
  const folder = join(folders.workspace, defaultResultFolder(task))
  try {
    await assertUsable(folders, { real: await realpath(folder) }, folder)
    const names = await readdir(folder)
    return names.filter((name) => !name.startsWith('.')).map((name) => join(folder, name))
  } catch (error) {
    if (error instanceof MediaError || errorCode(error) !== undefined) return []
    throw error
  }
}

async function saveResults(
  session: Session,
  done: CompletedTask,
  call: Pick<ToolCall, 'signal' | 'progress'>,
): Promise<DeliveryState> {
  const delivery = await saveResultFiles(session, done, call)
  const name = session.operations.find((one) => one.name === done.view.task_type)?.agentFile?.name
  if (name === undefined || !delivery || !('saved' in delivery)) return delivery
  return await saveOutput(session, { ...done, name, saved: delivery.saved })
}

async function saveResultFiles(
  session: Session,
  { view, task }: CompletedTask,
  call: Pick<ToolCall, 'signal' | 'progress'>,
): Promise<DeliveryState> {
  const files = findResultFiles(view.output_result ?? {})
  if (files.length === 0) return { saved: [] }
  const folders = await session.delivery.folders()
  const recorded = task.save_to === undefined ? await findSavedPlace(folders, view.task_id) : undefined
  const saveTo = task.save_to ?? recorded?.save_to ?? defaultResultFolder(view)
  const { inputFiles } = task
  const job = session.saves.join(`${view.task_id} ${saveTo}`, (context) =>
    saveFiles(session, { files, saveTo, inputFiles }, context),
  )
  const { worked } = progressShares
  try {
    const saved = await job.result(call.signal, (percent) =>
      call.progress(worked + (percent / 100) * (99 - worked), `saving ${percent} %`),
    )
    if (!saved) return { percent: job.progress }
    const known = session.tasks.get(view.task_id) ?? task
    const paths = saved.map(({ path }) => path)
    session.tasks.remember(view.task_id, { ...known, saved: paths })
    if (task.save_to !== undefined)
      await recordSavedPlace(folders, view.task_id, { save_to: task.save_to, paths })
    return { saved }
  } catch (error) {
    // A failure to save must not hide that the task is completed and paid for.
    if (error instanceof MediaError) return { failed: describeError(error) }
    throw error
  }
}

/** Saves the whole output of a task as a JSON file, beside its result files. */
async function saveOutput(
  session: Session,
  {
    view,
    task,
    name,
    saved,
  }: CompletedTask & { readonly name: string; readonly saved: readonly SavedFile[] },
): Promise<DeliveryState> {
  const saveTo = task.save_to ?? defaultResultFolder(view)
  const target = splitSaveTo(saveTo)
  // Another extension would hide what the file contains.
  const wanted = target.name === undefined ? name : `${nameStem(target.name)}${extensionOf(name)}`
  try {
    const folders = await session.delivery.folders()
    await using folder = await openAllowedFolder(folders, target.folder)
    await assertUsable(folders, { real: join(folder.path, wanted) }, join(target.folder, wanted))
    const bytes = Buffer.from(`${JSON.stringify(view.output_result)}\n`)
    const used = await saveBytes(bytes, { folder: folder.base, name: wanted })
    const outputPath = join(folder.path, used)
    const known = session.tasks.get(view.task_id) ?? task
    session.tasks.remember(view.task_id, {
      ...known,
      saved: [outputPath, ...saved.map(({ path }) => path)],
    })
    return { saved, outputPath }
  } catch (error) {
    const failure = explainSaveError(error, saveTo)
    // A failure to save must not hide that the task is completed and paid for.
    if (failure instanceof MediaError) return { failed: describeError(failure) }
    throw failure
  }
}

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

/** Folder for a task's results when the agent names none, relative to the workspace. */
function defaultResultFolder({ task_type, task_id }: TaskRef): string {
  return join(resultsFolder, `${task_type}-${task_id.slice(-8)}`)
}

/** Creates the folder of `save_to` and checks that it is allowed and writable, before any work starts. Throws 6016. */
export async function checkSaveTo(session: Session, saveTo: string | undefined): Promise<void> {
  if (saveTo === undefined) return
  try {
    const folders = await session.delivery.folders()
    const target = splitSaveTo(saveTo)
    await using folder = await openAllowedFolder(folders, target.folder)
    if (target.name !== undefined)
      await assertUsable(folders, { real: join(folder.path, target.name) }, saveTo)
    const probe = join(folder.base, `.reelwright-${randomBytes(6).toString('hex')}`)
    await writeFile(probe, '', { flag: 'wx' })
    await rm(probe)
  } catch (error) {
    throw explainSaveError(error, saveTo)
  }
}

/** Downloads files to the agent's folder. An identical file that exists there is reused. */
export async function saveFiles(
  session: Session,
  { files, saveTo, inputFiles = [] }: SaveFilesOptions,
  context: SaveFilesContext,
): Promise<SavedFile[]> {
  const target = splitSaveTo(saveTo)
  const found = await Promise.all(
    files.map(async (file): Promise<FileToSave> => {
      const record = await fetchFileDetails(session.client, file.file_id)
      return { file, record: { ...record, original_name: ownName(record.original_name, inputFiles) } }
    }),
  )
  const total = Math.max(
    1,
    found.reduce((sum, { record }) => sum + record.size, 0),
  )
  const saved: SavedFile[] = []
  let before = 0
  try {
    const folders = await session.delivery.folders()
    await using folder = await openAllowedFolder(folders, target.folder)
    for (const { file, record, wanted, note } of chooseFileNames(found, target.name)) {
      await assertUsable(folders, { real: join(folder.path, wanted) }, join(target.folder, wanted))
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

function explainSaveError(error: unknown, saveTo: string): unknown {
  const code = errorCode(error) ?? ''
  const why = saveFailureReasons[code]
  if (why === undefined) return error
  return new MediaError(6016, `Files cannot be saved to ${saveTo}: ${why}`, {
    cause: error,
    // The folder is created again.
    ...(code === 'ENOENT' ? { retryable: true, hint: 'Call again.' } : { hint: 'Give another save_to.' }),
  })
}
