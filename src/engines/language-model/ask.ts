import type * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import type { ServiceClient } from '../services/client.ts'
import { unexpectedResponse } from '../services/failures.ts'
import { sanitizeDetail, httpErrorCause } from '../services/refusal.ts'
import { serviceName } from '../services/services.ts'
import { bodyOf, saidIn, type Said, type Turn } from './chat.ts'
import { dialectOf, isTooLong, nextDialect, remember } from './dialect.ts'
import type { Question } from './language-model.ts'
import { corrected, messagesOf, schemaOf, tokensOf } from './messages.ts'
import { isUnknownModel, withModels } from './models.ts'
import { NoAnswer } from './no-answer.ts'
import { readAnswer, withoutThoughts } from './read-answer.ts'
import { estimateTokens } from './tokens.ts'
import { TooLong } from './too-long.ts'

/** A model that is asked. */
export interface Asked {
  readonly client: ServiceClient
  readonly model: string
  readonly contextTokens: number
  readonly usage: { requests: number; promptTokens: number; answerTokens: number }
}

/** Times that a model is told its mistakes. */
const maxRepairs = 2

/** Asks until the answer is one; see `LanguageModel.ask`. */
export async function askModel<S extends z.ZodObject>(
  asked: Asked,
  question: Question<S>,
): Promise<z.output<S>> {
  const { client, model, contextTokens } = asked
  const { maxTokens, temperature = 0, signal } = question
  const name = serviceName(client.target.service)
  const schema = schemaOf(question.schema)
  const begun = messagesOf(question, schema)
  const room = contextTokens - maxTokens
  const needed = tokensOf(begun)
  if (needed > room) {
    const what = `about ${needed} tokens, and ${maxTokens} for the answer`
    throw new TooLong('question', `the question does not fit the ${contextTokens} tokens of ${name}: ${what}`)
  }
  let messages = begun
  for (let repairs = 0; ; repairs += 1) {
    const said = await say(
      asked,
      { model, messages, schema, maxTokens, spareTokens: room - tokensOf(messages), temperature },
      signal,
    )
    if (said.refusal !== null) throw declined(name, said.refusal)
    const reading = readAnswer(question.schema, said.text)
    if ('answer' in reading) return reading.answer
    if (said.isCutOff)
      throw new TooLong('answer', `${name} was cut off after ${maxTokens} tokens of its answer`)
    const { mistakes } = reading
    if (repairs === maxRepairs) throw unusable(name, mistakes)
    messages = corrected(begun, { answer: said.text, mistakes, room })
  }
}

/** One turn, told as the server takes it. */
async function say({ client, usage }: Asked, turn: Turn, signal: AbortSignal): Promise<Said> {
  const server = `${client.target.service.address}#${turn.model}`
  for (let dialect = dialectOf(server); ;) {
    try {
      const answer = await client.send({ path: '/chat/completions', json: bodyOf(turn, dialect), signal })
      const said = saidIn(answer)
      if (!said)
        throw unexpectedResponse(
          client.target,
          `answers what is no chat completion (${answer.type || 'of no type'})`,
        )
      remember(server, dialect)
      usage.requests += 1
      usage.promptTokens += said.promptTokens ?? tokensOf(turn.messages)
      usage.answerTokens += said.answerTokens ?? estimateTokens(said.text)
      if (!said.isCutOff || dialect.thinks || withoutThoughts(said.text) !== '') return said
      // It was cut off in its thoughts.
      dialect = { ...dialect, thinks: true }
    } catch (error) {
      const refusal = httpErrorCause(error)
      if (!refusal || !(error instanceof MediaError)) throw error
      if (isUnknownModel(refusal)) {
        throw await withModels(client, { model: turn.model, refused: error }, signal)
      }
      if (isTooLong(refusal)) {
        const message = `the question does not fit the context of ${serviceName(client.target.service)} (${refusal.detail})`
        throw new TooLong('question', message, error)
      }
      const next = nextDialect(dialect, refusal)
      if (!next) throw ofQuestion.has(refusal.status) ? notTaken(error) : error
      dialect = next
    }
  }
}

/** Refusals that others may be spared: of what is asked, or as something in it ends the work. */
const ofQuestion = new Set([400, 422, 500])

function notTaken(cause: MediaError): NoAnswer {
  const { message, retryable, hint } = cause
  return new NoAnswer(message, { retryable, hint, cause })
}

function declined(name: string, refusal: string): NoAnswer {
  return new NoAnswer(`${name} declines to answer: ${sanitizeDetail(refusal)}`, {
    retryable: false,
    hint: 'Ask for something else, or set another model: "language_model".',
  })
}

function unusable(name: string, mistakes: readonly string[]): NoAnswer {
  const tries = `${maxRepairs + 1} tries`
  return new NoAnswer(`${name} gave no usable answer in ${tries}: ${sanitizeDetail(mistakes.join('; '))}`, {
    hint: 'Try again, or set a larger model: "language_model".',
  })
}
