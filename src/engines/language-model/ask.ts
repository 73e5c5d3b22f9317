import type * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import type { ServiceClient } from '../services/client.ts'
import { httpErrorCause, sanitizeDetail, unexpectedResponse } from '../services/failures.ts'
import { serviceName } from '../services/services.ts'
import {
  type ChatReply,
  type ChatRequest,
  chatRequestBody,
  fallbackDialect,
  isContextExceeded,
  knownDialect,
  parseChatReply,
  rememberDialect,
} from './chat-completions.ts'
import { type ModelQuestion, NoUsableAnswer, TokenLimitExceeded } from './language-model.ts'
import {
  answerJsonSchema,
  correctionMessages,
  estimateMessageTokens,
  estimateTokens,
  questionMessages,
} from './messages.ts'
import { isUnknownModel, suggestModels } from './models.ts'
import { parseAnswer, stripReasoning } from './parse-answer.ts'

/** A model that is asked. */
export interface ModelConnection {
  readonly client: ServiceClient
  readonly model: string
  readonly contextTokens: number
  readonly usage: { requests: number; promptTokens: number; answerTokens: number }
}

/** Times that a model is told its mistakes. */
const maxRepairs = 2

/** Asks until the answer is one; see `LanguageModel.ask`. */
export async function askModel<S extends z.ZodObject>(
  asked: ModelConnection,
  question: ModelQuestion<S>,
): Promise<z.output<S>> {
  const { client, model, contextTokens } = asked
  const { maxTokens, temperature = 0, signal } = question
  const name = serviceName(client.target.service)
  const schema = answerJsonSchema(question.schema)
  const begun = questionMessages(question, schema)
  const room = contextTokens - maxTokens
  const needed = estimateMessageTokens(begun)
  if (needed > room) {
    const what = `about ${needed} tokens, and ${maxTokens} for the answer`
    throw new TokenLimitExceeded(
      'question',
      `the question does not fit the ${contextTokens} tokens of ${name}: ${what}`,
    )
  }
  let messages = begun
  for (let repairs = 0; ; repairs += 1) {
    const said = await sendChatRequest(
      asked,
      {
        model,
        messages,
        schema,
        maxTokens,
        spareTokens: room - estimateMessageTokens(messages),
        temperature,
      },
      signal,
    )
    if (said.refusal !== null) throw declinedError(name, said.refusal)
    const reading = parseAnswer(question.schema, said.text)
    if ('answer' in reading) return reading.answer
    if (said.isTruncated)
      throw new TokenLimitExceeded('answer', `${name} was cut off after ${maxTokens} tokens of its answer`)
    const { mistakes } = reading
    if (repairs === maxRepairs) throw invalidAnswerError(name, mistakes)
    messages = correctionMessages(begun, { answer: said.text, mistakes, room })
  }
}

/** One turn, told as the server takes it. */
async function sendChatRequest(
  { client, usage }: ModelConnection,
  turn: ChatRequest,
  signal: AbortSignal,
): Promise<ChatReply> {
  const server = `${client.target.service.address}#${turn.model}`
  for (let dialect = knownDialect(server); ;) {
    try {
      const answer = await client.send({
        path: '/chat/completions',
        json: chatRequestBody(turn, dialect),
        signal,
      })
      const said = parseChatReply(answer)
      if (!said)
        throw unexpectedResponse(
          client.target,
          `answers what is no chat completion (${answer.type || 'of no type'})`,
        )
      rememberDialect(server, dialect)
      usage.requests += 1
      usage.promptTokens += said.promptTokens ?? estimateMessageTokens(turn.messages)
      usage.answerTokens += said.answerTokens ?? estimateTokens(said.text)
      if (!said.isTruncated || dialect.countsReasoning || stripReasoning(said.text) !== '') return said
      // It was cut off in its thoughts.
      dialect = { ...dialect, countsReasoning: true }
    } catch (error) {
      const refusal = httpErrorCause(error)
      if (!refusal || !(error instanceof MediaError)) throw error
      if (isUnknownModel(refusal)) {
        throw await suggestModels(client, { model: turn.model, refused: error }, signal)
      }
      if (isContextExceeded(refusal)) {
        const message = `the question does not fit the context of ${serviceName(client.target.service)} (${refusal.detail})`
        throw new TokenLimitExceeded('question', message, error)
      }
      const next = fallbackDialect(dialect, refusal)
      if (!next) throw questionStatuses.has(refusal.status) ? rejectedError(error) : error
      dialect = next
    }
  }
}

/** Refusals that others may be spared: of what is asked, or as something in it ends the work. */
const questionStatuses = new Set([400, 422, 500])

function rejectedError(cause: MediaError): NoUsableAnswer {
  const { message, retryable, hint } = cause
  return new NoUsableAnswer(message, { retryable, hint, cause })
}

function declinedError(name: string, refusal: string): NoUsableAnswer {
  return new NoUsableAnswer(`${name} declines to answer: ${sanitizeDetail(refusal)}`, {
    retryable: false,
    hint: 'Ask for something else, or set another model: "language_model".',
  })
}

function invalidAnswerError(name: string, mistakes: readonly string[]): NoUsableAnswer {
  const tries = `${maxRepairs + 1} tries`
  return new NoUsableAnswer(
    `${name} gave no usable answer in ${tries}: ${sanitizeDetail(mistakes.join('; '))}`,
    {
      hint: 'Try again, or set a larger model: "language_model".',
    },
  )
}
