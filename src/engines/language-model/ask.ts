import type * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import type { ServiceClient } from '../services/client.ts'
import { httpErrorCause, quotedCause, sanitizeDetail, unexpectedResponse } from '../services/failures.ts'
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
import { NoUsableAnswer, TokenLimitExceeded } from './language-model.ts'
import {
  answerJsonSchema,
  correctionMessages,
  estimateMessageTokens,
  estimateTokens,
  questionMessages,
} from './messages.ts'
import { isUnknownModel, suggestModels } from './models.ts'
import { parseAnswer, stripReasoning } from './parse-answer.ts'
import type { ModelQuestion, QuestionInput } from './question.ts'

/** An open model and its usage. */
export interface ModelConnection {
  readonly client: ServiceClient
  readonly model: string
  readonly contextTokens: number
  readonly usage: { requests: number; promptTokens: number; answerTokens: number }
}

/** Maximum number of requests for a corrected answer. */
const maxRepairs = 2

/** Asks until the answer is valid; see `LanguageModel.ask`. */
export async function askModel<I extends QuestionInput, S extends z.ZodObject>(
  connection: ModelConnection,
  question: ModelQuestion<I, S>,
): Promise<z.output<S>> {
  const { client, model, contextTokens } = connection
  const { kind, maxTokens, temperature = 0, signal } = question
  const name = serviceName(client.target.service)
  const schema = answerJsonSchema(kind.schema)
  const initial = questionMessages(question)
  const maxPromptTokens = contextTokens - maxTokens
  const needed = estimateMessageTokens(initial)
  if (needed > maxPromptTokens) {
    const what = `about ${needed} tokens, and ${maxTokens} for the answer`
    throw new TokenLimitExceeded(
      'question',
      `the question does not fit the context of ${name}, ${contextTokens} tokens: ${what}`,
    )
  }
  let messages = initial
  for (let repairs = 0; ; repairs += 1) {
    const reply = await sendChatRequest(
      connection,
      {
        model,
        messages,
        schema,
        maxTokens,
        spareTokens: maxPromptTokens - estimateMessageTokens(messages),
        temperature,
      },
      signal,
    )
    if (reply.refusal !== null) throw declinedError(name, reply.refusal)
    const reading = parseAnswer(kind.schema, reply.text)
    if ('answer' in reading) return reading.answer
    if (reply.isTruncated)
      throw new TokenLimitExceeded(
        'answer',
        `${name} answered with more than the limit of ${maxTokens} tokens`,
      )
    const { issues } = reading
    if (repairs === maxRepairs) throw invalidAnswerError(name, issues)
    messages = correctionMessages(initial, { answer: reply.text, issues, maxTokens: maxPromptTokens })
  }
}

/** Sends a request, and repeats it in other dialects until the server accepts one. */
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
      const reply = parseChatReply(answer)
      if (!reply)
        throw unexpectedResponse(
          client.target,
          'does not respond with a chat completion',
          `content type ${answer.type || 'missing'}`,
        )
      rememberDialect(server, dialect)
      usage.requests += 1
      usage.promptTokens += reply.promptTokens ?? estimateMessageTokens(turn.messages)
      usage.answerTokens += reply.answerTokens ?? estimateTokens(reply.text)
      if (!reply.isTruncated || dialect.countsReasoning || stripReasoning(reply.text) !== '') return reply
      // It was truncated while reasoning.
      dialect = { ...dialect, countsReasoning: true }
    } catch (error) {
      const refusal = httpErrorCause(error)
      if (!refusal || !(error instanceof MediaError)) throw error
      if (isUnknownModel(refusal)) {
        throw await suggestModels(client, { model: turn.model, refused: error }, signal)
      }
      if (isContextExceeded(refusal)) {
        const message = `the question does not fit the context of ${serviceName(client.target.service)} (HTTP ${refusal.status})`
        throw new TokenLimitExceeded('question', message, error)
      }
      const next = fallbackDialect(dialect, refusal)
      if (!next) throw questionStatuses.has(refusal.status) ? rejectedError(error, turn) : error
      dialect = next
    }
  }
}

/** Statuses that may concern this question only: it is rejected, or makes the server fail. */
const questionStatuses = new Set([400, 422, 500])

function rejectedError(cause: MediaError, { messages }: ChatRequest): NoUsableAnswer {
  const { message, retryable, hint } = cause
  const hasImages = messages.some(({ images = [] }) => images.length > 0)
  // Status 500 is common for other reasons.
  const isAboutImages =
    hasImages &&
    (httpErrorCause(cause)?.status !== 500 || /image|vision|modal/i.test(httpErrorCause(cause)?.detail ?? ''))
  return isAboutImages
    ? new NoUsableAnswer(`${message} with images`, { retryable: false, hint: viewingModelHint, cause })
    : new NoUsableAnswer(message, { retryable, hint, cause })
}

const viewingModelHint =
  'Set "language_model" to a model that can view images, such as http://127.0.0.1:11434/v1#qwen2.5vl:7b. The log ' +
  'contains the explanation of the service.'

function declinedError(name: string, refusal: string): NoUsableAnswer {
  return new NoUsableAnswer(`${name} declines to answer`, {
    retryable: false,
    cause: quotedCause(refusal),
    hint: 'Change the request, or set another model: "language_model".',
  })
}

function invalidAnswerError(name: string, issues: readonly string[]): NoUsableAnswer {
  const tries = `${maxRepairs + 1} tries`
  return new NoUsableAnswer(
    `${name} returned no valid answer in ${tries}: ${sanitizeDetail(issues.join('; '))}`,
    {
      hint: 'Try again, or set a larger model: "language_model".',
    },
  )
}
