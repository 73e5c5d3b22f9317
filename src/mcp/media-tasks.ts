import { fetchTask, type TaskView, wasStoppedOnRequest } from '../client/tasks.ts'
import { MediaError } from '../contract/errors.ts'
import { routes } from '../contract/routes.ts'
import { isTerminal } from '../contract/task.ts'
import { describeState, findQuestions, knownTaskReply } from './known-task-snapshot.ts'
import { withProtocolErrors } from './call-limits.ts'
import { toDataResult, toErrorResult } from './reply.ts'
import { lookUpTask, type KnownTask, type Session, type SubmissionResult } from './session.ts'
import { callAgainSnapshot } from './snapshot.ts'
import type { McpContext } from './mcp-context.ts'
import type { McpRequest, DetailedTask, TaskSource } from './task-extension.ts'
import type { Job } from './background-jobs.ts'

/** Recommended polling interval of clients, ms. */
const pollIntervalMs = 2000

/** Time that one `tasks/get` delivers result files before it reports that the task is still working, ms. */
const deliveryTimeoutMs = 5000

/** The session's media tasks and submissions as tasks of the Tasks extension. */
export function mediaTaskSource({ session, report }: Pick<McpContext, 'session' | 'report'>): TaskSource {
  return {
    get: (taskId, request) => withProtocolErrors(describeTaskOrSubmission(session, taskId, request), report),
    // Media tasks request no input.
    update: async (taskId) => void (await withProtocolErrors(findMediaTask(session, taskId), report)),
    cancel: (taskId) => withProtocolErrors(cancelMediaTask(session, taskId), report),
  }
}

/** Describes the media task or submission of an id for the extension. Throws 6005 for an unknown id. */
export async function describeTaskOrSubmission(
  session: Session,
  taskId: string,
  { signal }: Pick<McpRequest, 'signal'>,
): Promise<DetailedTask> {
  const job = session.submissions.get(taskId)
  const submission = job && (await submissionState(job))
  const task = job ? submittedTask(submission) : await lookUpTask(session, taskId)
  if (task) return describeTask(session, { taskId, task }, signal)
  const head = taskHead(taskId, job)
  if (submission && 'failed' in submission) {
    return { ...head, status: 'completed', result: toErrorResult(submission.failed) }
  }
  if (submission && 'priced' in submission) {
    const result = toDataResult({ data: { ...callAgainSnapshot(submission.priced) } })
    return { ...head, status: 'completed', result }
  }
  return { ...head, status: 'working', statusMessage: `uploading ${job?.progress ?? 0} %` }
}

type SubmissionState = SubmissionResult | { readonly failed: MediaError } | undefined

/** Result of a submission; undefined while it is running. Throws only bugs. */
async function submissionState(job: Job<SubmissionResult>): Promise<SubmissionState> {
  return job.result(AbortSignal.abort()).catch((error: unknown) => {
    if (error instanceof MediaError) return { failed: error }
    throw error
  })
}

function submittedTask(submission: SubmissionState): KnownTask | undefined {
  return submission && 'task' in submission ? submission.task : undefined
}

/** The media task of an id; undefined if a submission has not created one. Throws 6005 for an unknown id. */
async function findMediaTask(session: Session, taskId: string): Promise<KnownTask | undefined> {
  const job = session.submissions.get(taskId)
  return job ? submittedTask(await submissionState(job)) : lookUpTask(session, taskId)
}

async function describeTask(
  session: Session,
  { taskId, task }: { readonly taskId: string; readonly task: KnownTask },
  signal: AbortSignal,
): Promise<DetailedTask> {
  const view = await fetchTask(session.client, task, signal)
  const head = { ...taskHead(taskId), ...taskTimes(view) }
  const batch = await findQuestions(session, view, signal)
  if (batch) {
    // Requests for input would reach the user, not the model: the call ends with the questions as its result.
    const asked = await knownTaskReply(session, { view, task, delivery: null, batch }, signal)
    return { ...head, status: 'completed', result: toDataResult(asked) }
  }
  if (!isTerminal(view.status)) {
    return { ...head, status: 'working', statusMessage: describeState(view) }
  }
  if (wasStoppedOnRequest(view)) return { ...head, status: 'cancelled' }
  const until = AbortSignal.any([signal, AbortSignal.timeout(deliveryTimeoutMs)])
  const call = { signal: until, progress: () => undefined }
  const saving =
    view.status === 'completed' ? await session.delivery.deliver(session, { view, task }, call) : null
  if (saving && 'percent' in saving) {
    return { ...head, status: 'working', statusMessage: `saving ${saving.percent} %` }
  }
  if (view.status === 'completed') session.results.report(view.task_id)
  const result = toDataResult(await knownTaskReply(session, { view, task, delivery: saving }, until))
  return {
    ...head,
    status: 'completed',
    result: { ...result, ...(view.status === 'failed' && { isError: true }) },
  }
}

function taskHead(taskId: string, job?: Job<SubmissionResult>) {
  const startedAt = (job?.startedAt ?? new Date()).toISOString()
  return { taskId, createdAt: startedAt, lastUpdatedAt: startedAt, ttlMs: null, pollIntervalMs }
}

function taskTimes({
  created,
  updated,
}: TaskView): Partial<Pick<DetailedTask, 'createdAt' | 'lastUpdatedAt'>> {
  return { ...(created && { createdAt: created }), ...(updated && { lastUpdatedAt: updated }) }
}

async function cancelMediaTask(session: Session, taskId: string): Promise<void> {
  const task = await findMediaTask(session, taskId)
  if (task) return await requestStop(session, task.task_id)
  const job = session.submissions.get(taskId)
  // The submission cannot be cancelled; the task that it creates is stopped at once.
  void job
    ?.result(new AbortController().signal)
    .then(submittedTask)
    .then((created) => created && requestStop(session, created.task_id))
    .catch(() => undefined)
}

async function requestStop({ client }: Session, task_id: string): Promise<void> {
  try {
    await client.call(routes.stopTask, { params: { task_id } })
  } catch (error) {
    // The task has already ended.
    if (!(error instanceof MediaError && error.code === 6007)) throw error
  }
}
