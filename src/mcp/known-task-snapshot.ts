import { asksQuestions, expectedTimes, type TaskView } from '../client/tasks.ts'
import { fillPath, routes } from '../contract/routes.ts'
import { fetchQuestionBatch, type QuestionBatch } from './question-batch.ts'
import { fetchRegionOverview } from './region-overview.ts'
import type { ToolReply } from './reply.ts'
import { fetchResultPictures } from './result-pictures.ts'
import { roundNumbers } from './round-numbers.ts'
import type { KnownTask, Session } from './session.ts'
import { type DeliveryState, type Snapshot, taskSnapshot } from './snapshot.ts'

/** A task with its state in the service. */
interface DeliveredTask {
  readonly view: TaskView
  readonly task: KnownTask
  /** Null if its files are not delivered here. */
  readonly delivery: DeliveryState
  /** Questions of a task that waits for answers. */
  readonly batch?: QuestionBatch | undefined
  /** Whether an earlier call created it. */
  readonly isJoined?: boolean | undefined
}

/** Next questions of a task to this session's agent; undefined if there are none, or it cannot answer. */
export async function findQuestions(
  session: Session,
  view: TaskView,
  signal: AbortSignal,
): Promise<QuestionBatch | undefined> {
  return session.offersAnswers && asksQuestions(view)
    ? await fetchQuestionBatch(session, view, signal)
    : undefined
}

/** Describes a task with its next questions to the agent and their images, or with pictures of its results. */
export async function knownTaskReply(
  session: Session,
  known: DeliveredTask,
  signal: AbortSignal,
): Promise<ToolReply> {
  const data = { ...(await knownTaskSnapshot(session, known, signal)) }
  if (known.batch) return { data, images: known.batch.images }
  const images = await fetchResultPictures(session, known.view, signal)
  if (images.length === 0) return { data }
  const count =
    images.length === 1
      ? 'The picture is of the first result'
      : `The ${images.length} pictures are of the first results, in order`
  return { data: { ...data, next_step: `${data.next_step} ${count}.` }, images }
}

/** Describes a task with all that is known about it: assumptions, regions of a detection, advice, remaining time. */
export async function knownTaskSnapshot(
  session: Session,
  { view, task, delivery, batch, isJoined }: DeliveredTask,
  signal: AbortSignal,
): Promise<Snapshot> {
  const snapshot = taskSnapshot(view, {
    delivery,
    saveTo: task.save_to,
    batch,
    isJoined,
    assumed: task.assumed,
    regions: await fetchRegionOverview(session, view, signal),
    advice: joinAdvice([
      ...omittedFieldsAdvice(session, { view, delivery }),
      operationAdvice(session, { view, task, delivery }),
    ]),
    omitted: omittedFields(session, view),
    expected: await expectedTimes(session.client, view),
  })
  const { error } = snapshot
  return error ? { ...snapshot, error: restoreErrorNames(error, task) } : snapshot
}

/** The error of a task with the names of fields that its call used. */
function restoreErrorNames(error: NonNullable<Snapshot['error']>, { restoreNames }: KnownTask) {
  if (!restoreNames) return error
  const texts = Object.entries(error).map(([name, value]) => [
    name,
    typeof value === 'string' ? restoreNames(value) : value,
  ])
  return Object.fromEntries(texts) as Record<string, unknown>
}

/** Fields of an output that the agent does not get in its reply. */
function omittedFields(
  { operations, delivery }: Pick<Session, 'operations' | 'delivery'>,
  { task_type, output_result }: TaskView,
): readonly string[] {
  const { fields = [], linkedCharacters = 0 } =
    operations.find(({ name }) => name === task_type)?.agentFile ?? {}
  // Files that are saved contain them.
  if (delivery.savedPaths) return fields
  const values = fields.map((field) => output_result?.[field])
  return JSON.stringify(roundNumbers(values)).length > linkedCharacters ? fields : []
}

/** How an agent that gets links instead of files gets the fields that its reply omits; empty for other agents. */
function omittedFieldsAdvice(
  session: Pick<Session, 'operations' | 'delivery'>,
  { view, delivery }: Pick<DeliveredTask, 'view' | 'delivery'>,
): readonly string[] {
  const omitted = omittedFields(session, view)
  const isLinked = delivery !== null && ('linked' in delivery || 'unlinked' in delivery)
  if (view.status !== 'completed' || !isLinked || omitted.length === 0) return []
  const { task_type, task_id } = view
  const { method } = routes.queryTask
  const request = `${method} ${fillPath(routes.queryTask.path, { task_type, task_id })}`
  return [
    `Too long for this reply: ${omitted.join(', ')}. Request less in each call, or send ${request} to the ` +
      'service_address of service_status with the API key, which returns the whole result.',
  ]
}

/** The operation's own advice on what to do with the output of a completed task. */
function operationAdvice(
  { operations }: Pick<Session, 'operations'>,
  { view, task, delivery }: DeliveredTask,
): string | undefined {
  if (view.status !== 'completed') return undefined
  const operation = operations.find(({ name }) => name === view.task_type)
  if (!operation?.nextStep) return undefined
  const saved = delivery && 'saved' in delivery ? delivery.saved : []
  const nameFile = (fileId: string): string => saved.find(({ file_id }) => file_id === fileId)?.path ?? fileId
  const output = operation.output.safeParse(view.output_result)
  return output.success ? operation.nextStep(output.data, { input: task.input, nameFile }) : undefined
}

function joinAdvice(parts: readonly (string | undefined)[]): string | undefined {
  const given = parts.filter((part) => part !== undefined)
  return given.length === 0 ? undefined : given.join(' ')
}

/** State and progress of an unfinished task in a few words, or what it waits for. */
export function describeState({
  status,
  progress,
  note,
}: Pick<TaskView, 'status' | 'progress' | 'note'>): string {
  return note ?? `${status} ${progress} %`
}
