import * as z from 'zod'
import type { JsonSchema } from '../../contract/json-schema.ts'
import { parseJson } from '../../platform/text-formats.ts'
import type { HttpError } from '../services/failures.ts'
import type { ServiceResponse } from '../services/http-exchange.ts'

/** A picture that a question is about. */
export interface QuestionImage {
  readonly type: 'image/jpeg' | 'image/png' | 'image/webp'
  readonly bytes: Buffer
}

/** What is said in a conversation. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
  readonly images?: readonly QuestionImage[] | undefined
}

/** One request of a conversation. */
export interface ChatRequest {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly schema: JsonSchema
  readonly maxTokens: number
  /** Tokens of the context that are needed for nothing else. */
  readonly spareTokens: number
  readonly temperature: number
}

/** Most room for the thoughts of a model that counts them as part of its answer. */
const maxReasoningTokens = 8192

/** The body of a request as a server of that dialect takes it. */
export function chatRequestBody(turn: ChatRequest, dialect: ChatDialect): object {
  const { model, messages, schema, maxTokens, spareTokens, temperature } = turn
  return {
    model,
    messages: messages.map(({ role, content, images = [] }) => ({
      role,
      content: images.length === 0 ? content : [{ type: 'text', text: content }, ...images.map(imagePart)],
    })),
    [dialect.tokenLimitField]:
      maxTokens + (dialect.countsReasoning ? Math.min(maxReasoningTokens, spareTokens) : 0),
    ...(dialect.temperature && { temperature }),
    ...responseFormat(dialect, schema),
    stream: false,
  }
}

function imagePart({ type, bytes }: QuestionImage) {
  return { type: 'image_url', image_url: { url: `data:${type};base64,${bytes.toString('base64')}` } }
}

function responseFormat({ responseFormat: form }: ChatDialect, schema: JsonSchema): object {
  if (form === 'plain') return {}
  if (form === 'object') return { response_format: { type: 'json_object' } }
  const json_schema = { name: 'answer', schema, ...(form === 'strict' && { strict: true }) }
  return { response_format: { type: 'json_schema', json_schema } }
}

const tokenCount = z.int().min(0).nullish()

/** As OpenAI writes it; what others add is not read. */
const completion = z.object({
  choices: z.array(
    z.object({
      finish_reason: z.string().nullish(),
      message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
    }),
  ),
  usage: z.object({ prompt_tokens: tokenCount, completion_tokens: tokenCount }).nullish().catch(null),
})

/** What a model said in one turn. */
export interface ChatReply {
  readonly text: string
  /** It stopped at the limit of tokens, not at its end. */
  readonly isTruncated: boolean
  /** Why it will not answer; null where it will. */
  readonly refusal: string | null
  /** Null where the server does not count. */
  readonly promptTokens: number | null
  readonly answerTokens: number | null
}

/** What came as an answer; null where it is none of this API. */
export function parseChatReply({ bytes }: ServiceResponse): ChatReply | null {
  const read = completion.safeParse(parseJson(bytes.toString('utf8'))).data
  if (!read) return null
  const [choice] = read.choices
  const { content, refusal } = choice?.message ?? {}
  const isFiltered = choice?.finish_reason === 'content_filter'
  return {
    text: content ?? '',
    isTruncated: choice?.finish_reason === 'length',
    refusal: refusal || (isFiltered ? 'its content filter' : null),
    promptTokens: read.usage?.prompt_tokens ?? null,
    answerTokens: read.usage?.completion_tokens ?? null,
  }
}

/** How a server is told of an answer's form, from the strictest. */
const responseFormats = ['strict', 'schema', 'object', 'plain'] as const

/** What a server takes of the ways to say the same. */
interface ChatDialect {
  readonly responseFormat: (typeof responseFormats)[number]
  /** Hosted models that think take the new name alone. */
  readonly tokenLimitField: 'max_tokens' | 'max_completion_tokens'
  /** Whether the model's thoughts count as part of its answer. */
  readonly countsReasoning: boolean
  readonly temperature: boolean
}

const defaultDialect: ChatDialect = {
  responseFormat: 'strict',
  tokenLimitField: 'max_tokens',
  countsReasoning: false,
  temperature: true,
}

/** What was found out, by server and model, for as long as this process lives. */
const knownDialects = new Map<string, ChatDialect>()

/** How a model of a server is spoken to. */
export function knownDialect(server: string): ChatDialect {
  return knownDialects.get(server) ?? defaultDialect
}

/** Remembers what a server took. */
export function rememberDialect(server: string, dialect: ChatDialect): void {
  knownDialects.set(server, dialect)
}

/** The way that is left after a refusal; undefined where it is about something else, or none is left. */
export function fallbackDialect(
  now: ChatDialect,
  { status, detail: said }: HttpError,
): ChatDialect | undefined {
  const isOfForm = [400, 422, 501].includes(status) || /grammar|schema|response_format/i.test(said)
  if (!isOfForm) return undefined
  if (
    now.tokenLimitField === 'max_tokens' &&
    /max_completion_tokens|max_tokens.*(not supported|unsupported)/i.test(said)
  ) {
    return { ...now, tokenLimitField: 'max_completion_tokens', countsReasoning: true }
  }
  if (now.temperature && /temperature/i.test(said)) return { ...now, temperature: false }
  // Not every server says what it minds: it is asked for ever less.
  const form = responseFormats[responseFormats.indexOf(now.responseFormat) + 1]
  return form && { ...now, responseFormat: form }
}

/** Whether a refusal says that the question is longer than the model's context. */
export function isContextExceeded({ status, detail: said }: HttpError): boolean {
  const isSaid = /context[ _](length|size|window)|maximum context|too many tokens|prompt is too long/i.test(
    said,
  )
  return status === 413 || (status === 400 && isSaid)
}
