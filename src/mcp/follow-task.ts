import { expectedTimes, waitForTask, type TaskView } from '../client/tasks.ts'
import { MediaError } from '../contract/errors.ts'
import { describeError } from './reply.ts'
import { findResultFiles } from './result-files.ts'
import { defaultResultFolder, saveFiles } from './save.ts'
import type { KnownTask, Session } from './session.ts'
import { taskSnapshot, type Saving, type Snapshot } from './snapshot.ts'
import type { Call } from './tool.ts'

/** Shares of a call's progress: uploads end at the first, the task at the second, then files are saved. */
export const progressShares = { uploaded: 10, worked: 95 } as const

/** Waits for a task as long as the call may, and brings a completed one's files into the workspace. */
export async function followTask(
  session: Session,
  task: KnownTask & { readonly waitSeconds: number },
  call: Call,
): Promise<Snapshot> {
  const { uploaded, worked } = progressShares
  const view = await waitForTask(session.client, task, {
    signal: AbortSignal.any([call.signal, AbortSignal.timeout(task.waitSeconds * 1000)]),
    news: session.feed,
    onChange: ({ status, progress }) =>
      call.progress(uploaded + (progress / 100) * (worked - uploaded), `${status} ${progress} %`),
  })
  return taskSnapshot(view, {
    saving: view.status === 'completed' ? await saveResults(session, { view, task }, call) : null,
    saveTo: task.save_to,
    expected: view.status === 'queued' ? await expectedTimes(session.client, view) : null,
  })
}

async function saveResults(
  session: Session,
  { view, task }: { view: TaskView; task: KnownTask },
  call: Call,
): Promise<Saving> {
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
