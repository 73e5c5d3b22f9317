import { describeCredits } from '../contract/credits.ts'
import type { Consent } from './consent.ts'
import type { ToolReply } from './reply.ts'
import type { PricedTask, Session } from './session.ts'
import { unconfirmedSnapshot } from './snapshot.ts'

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
