import { MediaError } from '../contract/errors.ts'
import { progressShares } from './follow-task.ts'
import { isExistingFile } from './open-inside.ts'
import type { CompletedTask, FileDelivery } from './place.ts'
import { describeError } from './reply.ts'
import { findResultFiles } from './result-files.ts'
import { defaultResultFolder, saveFiles } from './save.ts'
import type { Session } from './session.ts'
import type { DeliveryState } from './next-step.ts'
import type { ToolCall } from './tool.ts'
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
