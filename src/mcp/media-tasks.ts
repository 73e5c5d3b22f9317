import { queryTask, type TaskView, wasStoppedOnRequest } from '../client/tasks.ts'
import { MediaError } from '../contract/errors.ts'
import { routes } from '../contract/routes.ts'
import { isTerminal } from '../contract/task.ts'
import { operationAdvice } from './run-operation.ts'
import { withProtocolErrors } from './call-limits.ts'
import { toDataResult, toErrorResult } from './reply.ts'
import { lookUpTask, type KnownTask, type Session, type SubmissionResult } from './session.ts'
import { callAgainSnapshot, taskSnapshot } from './snapshot.ts'
import type { McpContext } from './mcp-context.ts'
import type { McpRequest, DetailedTask, TaskSource } from './task-extension.ts'
import type { Job } from './background-jobs.ts'

/** How often a client had better ask, ms. */
const pollIntervalMs = 2000

/** How long one `tasks/get` brings result files along before it answers that the task still works, ms. */
const deliveryTimeoutMs = 5000

/** The session's media tasks, and uploads that lead to one, as the Tasks extension tells them. */
export function mediaTaskSource({ session, report }: Pick<McpContext, 'session' | 'report'>): TaskSource {
  return {
    get: (taskId, asked) => withProtocolErrors(describeTaskOrSubmission(session, taskId, asked), report),
    // Media tasks ask for nothing.
    update: async (taskId) => void (await withProtocolErrors(findMediaTask(session, taskId), report)),
    cancel: (taskId) => withProtocolErrors(cancelMediaTask(session, taskId), report),
  }
}

/** What an id stands for, a media task or an upload, as the extension tells it. */
export async function describeTaskOrSubmission(
  session: Session,
  taskId: string,
  { signal }: Pick<McpRequest, 'signal'>,
): Promise<DetailedTask> {
  const transfer = session.submissions.get(taskId)
  const upload = transfer && (await submissionState(transfer))
  const task = transfer ? submittedTask(upload) : await lookUpTask(session, taskId)
  if (task) return describeTask(session, { taskId, task }, signal)
  const head = taskHead(taskId, transfer)
  if (upload && 'failed' in upload) {
    return { ...head, status: 'completed', result: toErrorResult(upload.failed) }
  }
  if (upload && 'priced' in upload) {
    const result = toDataResult({ data: { ...callAgainSnapshot(upload.priced) } })
    return { ...head, status: 'completed', result }
  }
  return { ...head, status: 'working', statusMessage: `uploading ${transfer?.progress ?? 0} %` }
}

type SubmissionState = SubmissionResult | { readonly failed: MediaError } | undefined

/** What an upload has led to; undefined while it is under way. Throws bugs alone. */
async function submissionState(transfer: Job<SubmissionResult>): Promise<SubmissionState> {
  return transfer.within(AbortSignal.abort()).catch((error: unknown) => {
    if (error instanceof MediaError) return { failed: error }
    throw error
  })
}

function submittedTask(upload: SubmissionState): KnownTask | undefined {
  return upload && 'task' in upload ? upload.task : undefined
}

/** The media task behind an id; undefined where an upload has not led to one. Throws 6005 for an id that names nothing. */
async function findMediaTask(session: Session, taskId: string): Promise<KnownTask | undefined> {
  const transfer = session.submissions.get(taskId)
  return transfer ? submittedTask(await submissionState(transfer)) : lookUpTask(session, taskId)
}

async function describeTask(
  session: Session,
  { taskId, task }: { readonly taskId: string; readonly task: KnownTask },
  signal: AbortSignal,
): Promise<DetailedTask> {
  const view = await queryTask(session.client, task, signal)
  const head = { ...taskHead(taskId), ...taskTimes(view) }
  if (!isTerminal(view.status)) {
    return { ...head, status: 'working', statusMessage: `${view.status} ${view.progress} %` }
  }
  if (wasStoppedOnRequest(view)) return { ...head, status: 'cancelled' }
  const until = AbortSignal.any([signal, AbortSignal.timeout(deliveryTimeoutMs)])
  const call = { signal: until, progress: () => undefined }
  const saving =
    view.status === 'completed' ? await session.delivery.deliver(session, { view, task }, call) : null
  if (saving && 'underWay' in saving) {
    return { ...head, status: 'working', statusMessage: `saving ${saving.underWay} %` }
  }
  const result = toDataResult({
    data: {
      ...taskSnapshot(view, {
        delivery: saving,
        saveTo: task.save_to,
        advice: operationAdvice(session, view),
      }),
    },
  })
  return {
    ...head,
    status: 'completed',
    result: { ...result, ...(view.status === 'failed' && { isError: true }) },
  }
}

function taskHead(taskId: string, transfer?: Job<SubmissionResult>) {
  const begun = (transfer?.startedAt ?? new Date()).toISOString()
  return { taskId, createdAt: begun, lastUpdatedAt: begun, ttlMs: null, pollIntervalMs }
}

function taskTimes({
  created,
  updated,
}: TaskView): Partial<Pick<DetailedTask, 'createdAt' | 'lastUpdatedAt'>> {
  return { ...(created && { createdAt: created }), ...(updated && { lastUpdatedAt: updated }) }
}

async function cancelMediaTask(session: Session, taskId: string): Promise<void> {
  const task = await findMediaTask(session, taskId)
  if (task) return await stopTask(session, task.task_id)
  const upload = session.submissions.get(taskId)
  // The upload cannot be called back; the task that comes of it is stopped at once.
  void upload
    ?.within(new AbortController().signal)
    .then(submittedTask)
    .then((made) => made && stopTask(session, made.task_id))
    .catch(() => undefined)
}

async function stopTask({ client }: Session, task_id: string): Promise<void> {
  try {
    await client.call(routes.stopTask, { params: { task_id } })
  } catch (error) {
    // It has ended by itself.
    if (!(error instanceof MediaError && error.code === 6007)) throw error
  }
}
