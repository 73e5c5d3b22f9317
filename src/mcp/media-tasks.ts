import { queryTask, type TaskView } from '../client/tasks.ts'
import { MediaError } from '../contract/errors.ts'
import { routes } from '../contract/routes.ts'
import { isTerminal } from '../contract/task.ts'
import { adviceOn } from './advice.ts'
import { endedOnRequest } from './ended-on-request.ts'
import { told } from './protocol-error.ts'
import { toDataResult, toErrorResult } from './reply.ts'
import type { KnownTask, Session, Uploaded } from './session.ts'
import { laterUnconfirmedSnapshot, taskSnapshot } from './snapshot.ts'
import type { Studio } from './studio.ts'
import type { Asked, DetailedTask, TaskSource } from './task-extension.ts'
import { knownTask } from './tools/task-tools.ts'
import type { Transfer } from './transfers.ts'

/** How often a client had better ask, ms. */
const pollIntervalMs = 2000

/** How long one `tasks/get` brings result files along before it answers that the task still works, ms. */
const deliverMs = 5000

/** The session's media tasks, and uploads that lead to one, as the Tasks extension tells them. */
export function mediaTasks({ session, report }: Pick<Studio, 'session' | 'report'>): TaskSource {
  return {
    get: (taskId, asked) => told(describeWork(session, taskId, asked), report),
    // Media tasks ask for nothing.
    update: async (taskId) => void (await told(find(session, taskId), report)),
    cancel: (taskId) => told(cancel(session, taskId), report),
  }
}

/** What an id stands for, a media task or an upload, as the extension tells it. */
export async function describeWork(
  session: Session,
  taskId: string,
  { signal }: Pick<Asked, 'signal'>,
): Promise<DetailedTask> {
  const transfer = session.uploads.get(taskId)
  const upload = transfer && (await stateOf(transfer))
  const task = transfer ? taskOf(upload) : await knownTask(session, taskId)
  if (task) return describeTask(session, { taskId, task }, signal)
  const head = headOf(taskId, transfer)
  if (upload && 'failed' in upload) {
    return { ...head, status: 'completed', result: toErrorResult(upload.failed) }
  }
  if (upload && 'priced' in upload) {
    const result = toDataResult({ data: { ...laterUnconfirmedSnapshot(upload.priced) } })
    return { ...head, status: 'completed', result }
  }
  return { ...head, status: 'working', statusMessage: `uploading ${transfer?.progress ?? 0} %` }
}

type UploadState = Uploaded | { readonly failed: MediaError } | undefined

/** What an upload has led to; undefined while it is under way. Throws bugs alone. */
async function stateOf(transfer: Transfer<Uploaded>): Promise<UploadState> {
  return transfer.within(AbortSignal.abort()).catch((error: unknown) => {
    if (error instanceof MediaError) return { failed: error }
    throw error
  })
}

function taskOf(upload: UploadState): KnownTask | undefined {
  return upload && 'task' in upload ? upload.task : undefined
}

/** The media task behind an id; undefined where an upload has not led to one. Throws 6005 for an id that names nothing. */
async function find(session: Session, taskId: string): Promise<KnownTask | undefined> {
  const transfer = session.uploads.get(taskId)
  return transfer ? taskOf(await stateOf(transfer)) : knownTask(session, taskId)
}

async function describeTask(
  session: Session,
  { taskId, task }: { readonly taskId: string; readonly task: KnownTask },
  signal: AbortSignal,
): Promise<DetailedTask> {
  const view = await queryTask(session.client, task, signal)
  const head = { ...headOf(taskId), ...timesOf(view) }
  if (!isTerminal(view.status)) {
    return { ...head, status: 'working', statusMessage: `${view.status} ${view.progress} %` }
  }
  if (endedOnRequest(view)) return { ...head, status: 'cancelled' }
  const until = AbortSignal.any([signal, AbortSignal.timeout(deliverMs)])
  const call = { signal: until, progress: () => undefined }
  const saving =
    view.status === 'completed' ? await session.place.deliver(session, { view, task }, call) : null
  if (saving && 'underWay' in saving) {
    return { ...head, status: 'working', statusMessage: `saving ${saving.underWay} %` }
  }
  const result = toDataResult({
    data: { ...taskSnapshot(view, { saving, saveTo: task.save_to, advice: adviceOn(session, view) }) },
  })
  return {
    ...head,
    status: 'completed',
    result: { ...result, ...(view.status === 'failed' && { isError: true }) },
  }
}

function headOf(taskId: string, transfer?: Transfer<Uploaded>) {
  const begun = (transfer?.startedAt ?? new Date()).toISOString()
  return { taskId, createdAt: begun, lastUpdatedAt: begun, ttlMs: null, pollIntervalMs }
}

function timesOf({ created, updated }: TaskView): Partial<Pick<DetailedTask, 'createdAt' | 'lastUpdatedAt'>> {
  return { ...(created && { createdAt: created }), ...(updated && { lastUpdatedAt: updated }) }
}

async function cancel(session: Session, taskId: string): Promise<void> {
  const task = await find(session, taskId)
  if (task) return await stop(session, task.task_id)
  const upload = session.uploads.get(taskId)
  // The upload cannot be called back; the task that comes of it is stopped at once.
  void upload
    ?.within(new AbortController().signal)
    .then(taskOf)
    .then((made) => made && stop(session, made.task_id))
    .catch(() => undefined)
}

async function stop({ client }: Session, task_id: string): Promise<void> {
  try {
    await client.call(routes.stopTask, { params: { task_id } })
  } catch (error) {
    // It has ended by itself.
    if (!(error instanceof MediaError && error.code === 6007)) throw error
  }
}
