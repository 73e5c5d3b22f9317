import { expectedTimes, waitForTask } from '../client/tasks.ts'
import { operationAdvice } from './advice.ts'
import type { KnownTask, Session } from './session.ts'
import { taskSnapshot, type Snapshot } from './snapshot.ts'
import type { ToolCall } from './tool.ts'

/** Shares of a call's progress: uploads end at the first, the task at the second, then files are saved. */
export const progressShares = { uploaded: 10, worked: 95 } as const

/** Waits for a task as long as the call may, and brings a completed one's files to where the client can use them. */
export async function followTask(
  session: Session,
  task: KnownTask & { readonly waitSeconds: number; readonly isJoined?: boolean },
  call: ToolCall,
): Promise<Snapshot> {
  const { uploaded, worked } = progressShares
  const view = await waitForTask(session.client, task, {
    signal: AbortSignal.any([call.signal, AbortSignal.timeout(task.waitSeconds * 1000)]),
    news: session.feed,
    onChange: ({ status, progress }) =>
      call.progress(uploaded + (progress / 100) * (worked - uploaded), `${status} ${progress} %`),
  })
  return taskSnapshot(view, {
    delivery:
      view.status === 'completed' ? await session.delivery.deliver(session, { view, task }, call) : null,
    saveTo: task.save_to,
    isJoined: task.isJoined,
    advice: operationAdvice(session, view),
    expected: await expectedTimes(session.client, view),
  })
}
