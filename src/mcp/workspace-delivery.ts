import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { saveBytes } from '../client/download.ts'
import type { TaskRef } from '../client/tasks.ts'
import { MediaError } from '../contract/errors.ts'
import { extensionOf } from '../contract/file-kind.ts'
import { isInside } from '../platform/paths.ts'
import { outermostPrivatePaths } from '../platform/private-folders.ts'
import { errorCode } from '../platform/system-error.ts'
import { type CompletedTask, type FileDelivery, findResultFiles } from './file-delivery.ts'
import { isExistingFile } from './open-allowed.ts'
import { describeError } from './reply.ts'
import { nameStem, splitSaveTo } from './result-names.ts'
import { explainSaveError, saveFiles, saveIntoFolder } from './save-files.ts'
import { findSavedPlace, recordSavedPlace, resultsFolder } from './saved-places.ts'
import type { SavedFile, Session } from './session.ts'
import { type DeliveryState, withoutDownloadUrls } from './snapshot.ts'
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
  if (!delivery || !('saved' in delivery)) return delivery
  const { saved } = delivery
  const name = outputFileName(session, { ...done, hasFiles: saved.length > 0 })
  return name === undefined ? delivery : await saveOutput(session, { ...done, name, saved })
}

/** Name of the file of a task's output; undefined if only its result files are saved. */
function outputFileName(
  { operations }: Session,
  { view: { task_type }, task, hasFiles }: CompletedTask & { readonly hasFiles: boolean },
): string | undefined {
  const always = operations.find(({ name }) => name === task_type)?.agentFile?.name
  // Where there is no other result, save_to means the output.
  const wanted = hasFiles || task.save_to === undefined ? undefined : `${task_type}.json`
  return always ?? wanted
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
    const bytes = Buffer.from(`${JSON.stringify(withoutDownloadUrls(view.output_result ?? {}))}\n`)
    const outputPath = await saveIntoFolder(session, target.folder, async (folder, check) => {
      await check(wanted)
      return join(folder.path, await saveBytes(bytes, { folder: folder.base, name: wanted }))
    })
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

/** Folder for a task's results when the agent names none, relative to the workspace. */
function defaultResultFolder({ task_type, task_id }: TaskRef): string {
  return join(resultsFolder, `${task_type}-${task_id.slice(-8)}`)
}
