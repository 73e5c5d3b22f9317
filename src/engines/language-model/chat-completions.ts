import * as z from 'zod'
import type { JsonSchema } from '../../contract/json-schema.ts'
import { parseJson } from '../../contract/bounded-json.ts'
import type { QuestionImage } from '../../contract/questions.ts'
import type { HttpError } from '../services/failures.ts'
import type { ServiceResponse } from '../services/http-exchange.ts'

/** A message of a chat. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
  readonly images?: readonly QuestionImage[] | undefined
}

/** A chat completion request. */
export interface ChatRequest {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly schema: JsonSchema
  readonly maxTokens: number
  /** Unused tokens of the context. */
  readonly spareTokens: number
  readonly temperature: number
}

/** Maximum extra tokens for models whose reasoning counts as part of the answer. */
const maxReasoningTokens = 8192

/** Returns the body of a request in the dialect of a server. */
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
  return {
    type: 'image_url',
    image_url: { url: `data:${type};base64,${Buffer.from(bytes).toString('base64')}` },
  }
}

function responseFormat({ responseFormat: form }: ChatDialect, schema: JsonSchema): object {
  if (form === 'plain') return {}
  if (form === 'object') return { response_format: { type: 'json_object' } }
  const json_schema = { name: 'answer', schema, ...(form === 'strict' && { strict: true }) }
  return { response_format: { type: 'json_schema', json_schema } }
}

const tokenCount = z.int().min(0).nullish()

/** A chat completion of OpenAI's API. Other fields are ignored. */
const completion = z.object({
  choices: z.array(
    z.object({
      finish_reason: z.string().nullish(),
      message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
    }),
  ),
  usage: z.object({ prompt_tokens: tokenCount, completion_tokens: tokenCount }).nullish().catch(null),
})

/** The reply to one request. */
export interface ChatReply {
  readonly text: string
  /** Whether it ended at the token limit. */
  readonly isTruncated: boolean
  /** The model's reason for declining; null if it did not decline. */
  readonly refusal: string | null
  /** Null if the server does not count tokens. */
  readonly promptTokens: number | null
  readonly answerTokens: number | null
}

/** Parses a response; null if it is not a chat completion. */
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

/** Ways to request JSON, strictest first. */
const responseFormats = ['strict', 'schema', 'object', 'plain'] as const

/** The variant of the API that a server accepts. */
interface ChatDialect {
  readonly responseFormat: (typeof responseFormats)[number]
  /** Hosted reasoning models accept only the newer name. */
  readonly tokenLimitField: 'max_tokens' | 'max_completion_tokens'
  /** Whether reasoning counts towards the token limit of the answer. */
  readonly countsReasoning: boolean
  readonly temperature: boolean
}

const defaultDialect: ChatDialect = {
  responseFormat: 'strict',
  tokenLimitField: 'max_tokens',
  countsReasoning: false,
  temperature: true,
}

/** Known dialects of this process by server and model. */
const knownDialects = new Map<string, ChatDialect>()

/** Returns the dialect of a server and model; the default one if it is not known. */
export function knownDialect(server: string): ChatDialect {
  return knownDialects.get(server) ?? defaultDialect
}

/** Stores the dialect that a server accepted. */
export function rememberDialect(server: string, dialect: ChatDialect): void {
  knownDialects.set(server, dialect)
}

/**
 * Returns the dialect to try after an error response; undefined if the error has another cause or no dialect is left.
 */
export function fallbackDialect(now: ChatDialect, { status, detail }: HttpError): ChatDialect | undefined {
  const isFormatError = [400, 422, 501].includes(status) || /grammar|schema|response_format/i.test(detail)
  if (!isFormatError) return undefined
  if (
    now.tokenLimitField === 'max_tokens' &&
    /max_completion_tokens|max_tokens.*(not supported|unsupported)/i.test(detail)
  ) {
    return { ...now, tokenLimitField: 'max_completion_tokens', countsReasoning: true }
  }
  if (now.temperature && /temperature/i.test(detail)) return { ...now, temperature: false }
  // Not all servers name the unsupported field, so that the format is relaxed step by step.
  const form = responseFormats[responseFormats.indexOf(now.responseFormat) + 1]
  return form && { ...now, responseFormat: form }
}

/** Whether an error response reports that the question exceeds the context. */
export function isContextExceeded({ status, detail }: HttpError): boolean {
  const isSaid = /context[ _](length|size|window)|maximum context|too many tokens|prompt is too long/i.test(
    detail,
  )
  return status === 413 || (status === 400 && isSaid)
}
