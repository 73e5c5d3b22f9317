import { expectedTimes, type TaskView, waitForTask } from '../client/tasks.ts'
import { describeCredits } from '../contract/credits.ts'
import type { Consent, ToolReply } from './reply.ts'
import type { KnownTask, PricedTask, Session } from './session.ts'
import { type Snapshot, taskSnapshot, unconfirmedSnapshot } from './snapshot.ts'
import type { ToolCall } from './tool.ts'

/** The key of the question about a price: a yes to one price is none to another. */
export function priceQuestionKey(credits: number): string {
  return `cost_${credits}_credits`
}

/** Asks the user whether work is worth its price; where that cannot be, or was refused, tells how it stands. */
export function requestPriceConsent(
  { confirmAbove }: Session,
  priced: PricedTask,
  consent: Consent,
): ToolReply {
  const { task_type, credits } = priced
  const price = describeCredits(credits)
  const key = priceQuestionKey(credits)
  const nothing = 'The files are uploaded; no task was made and nothing charged.'
  if (consent.answerTo(key) !== undefined) {
    const next_step = `The user said no to ${price}. ${nothing} Ask what to change before you call again.`
    return { data: { ...unconfirmedSnapshot(priced, next_step), status: 'declined' } }
  }
  const limit = `${price}, and above ${describeCredits(confirmAbove ?? 0)} the user is asked first`
  const next_step =
    `It costs ${limit}, which this client cannot do. ${nothing} Ask for less, such as a shorter range, or have the ` +
    'user raise confirm_above_credits (REELWRIGHT_CONFIRM_ABOVE_CREDITS) and start this server again.'
  return {
    data: { ...unconfirmedSnapshot(priced, next_step) },
    ...(consent.canAsk && { question: { key, text: `${task_type} costs ${limit}. Go ahead?` } }),
  }
}

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

/** What the operation of a completed task says is to be done next with its result. */
export function operationAdvice(
  { operations }: Pick<Session, 'operations'>,
  view: TaskView,
): string | undefined {
  const operation = operations.find(({ name }) => name === view.task_type)
  if (view.status !== 'completed' || !operation?.nextStep) return undefined
  const output = operation.output.safeParse(view.output_result)
  return output.success ? operation.nextStep(output.data) : undefined
}
