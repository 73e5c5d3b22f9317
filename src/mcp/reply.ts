import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'
import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { resourceLinks } from './resource-links.ts'
import { roundNumbers } from './round-numbers.ts'
import { summarizeData, type TextLimits } from './summary.ts'

/** Result of a tool: data, with small images beside it. */
export interface ToolReply {
  readonly data: Readonly<Record<string, unknown>>
  readonly images?: readonly { readonly bytes: Buffer; readonly mimeType: string }[]
  /** Limits of the text, for tools whose clients need more of the data in it. */
  readonly textLimits?: TextLimits
  /** Question to the user, sent instead of the data. The client repeats the call with the answer. */
  readonly question?: ConsentQuestion
}

/** What the client of a call can read. */
export interface ResultOptions {
  /** Whether it knows links to resources, which protocol 2025-06-18 added; older clients reject the result. */
  readonly canReadLinks: boolean
}

/** Converts a tool's result: its data, or the question to the user. */
export function toResult(
  { question, ...reply }: ToolReply,
  options: ResultOptions,
): CallToolResult | InputRequiredResult {
  return question ? toInputRequest(question) : toDataResult(reply, options)
}

/**
 * Converts data and images: rounded data as structured content, a summary of it as text, since clients show the model
 * either, and links to the resources of the task and its files.
 */
export function toDataResult(
  { data: exact, images = [], textLimits }: Omit<ToolReply, 'question'>,
  { canReadLinks }: ResultOptions = { canReadLinks: true },
): CallToolResult {
  const data = roundNumbers(exact)
  return {
    content: [
      { type: 'text', text: summarizeData(data, textLimits) },
      ...images.map(({ bytes, mimeType }) => ({
        type: 'image' as const,
        data: bytes.toString('base64'),
        mimeType,
      })),
      ...(canReadLinks ? resourceLinks(data) : []),
    ],
    structuredContent: data,
  }
}

/** Adds what was assumed about the arguments to a result, also to its next step: some clients show only that. */
export function withAssumptions(reply: ToolReply, assumed: readonly string[]): ToolReply {
  if (assumed.length === 0) return reply
  const { next_step } = reply.data
  const step = typeof next_step === 'string' ? { next_step: [...assumed, next_step].join(' ') } : {}
  return { ...reply, data: { ...reply.data, ...step, assumed } }
}

/** Converts an error to text alone, as older clients validate structured content even on errors. */
export function toErrorResult(error: unknown): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: describeError(error) }] }
}

/** `CODE: what. Fix: … Retryable: yes|no`; a bug becomes 6500 without its text. */
export function describeError(error: unknown): string {
  const shown = error instanceof MediaError ? error : new MediaError(6500, 'Internal error')
  // Agents call tools, not endpoints.
  const fix = shown.hint.replaceAll(/ ?\(over HTTP: [^)]*\)/g, '').replace(/\.?$/, '.')
  return `${shown.code}: ${shown.message.replace(/\.?$/, '.')} Fix: ${fix} Retryable: ${shown.retryable ? 'yes' : 'no'}`
}

/** A yes-or-no question to the user. */
interface ConsentQuestion {
  /** Identifies the question, amounts included: consent covers nothing else. */
  readonly key: string
  readonly text: string
}

/** The user's answers to the questions of a call, over all its rounds. */
export interface Consent {
  /** Whether the client can ask its user. */
  readonly canAsk: boolean
  /** The user's answer to a question; undefined if it was not asked. */
  answerTo(key: string): boolean | undefined
}

/** Capabilities that newer clients declare with each request. */
const elicitationDeclaration = z.object({
  [CLIENT_CAPABILITIES_META_KEY]: z.object({
    elicitation: z.object({ form: z.unknown(), url: z.unknown() }).partial().optional(),
  }),
})

/** Reads the consent in a request. declared: capabilities of an older client, sent once at initialization. */
export function readConsent(
  { envelope, inputResponses }: Pick<ServerContext['mcpReq'], 'envelope' | 'inputResponses'>,
  declared: ClientCapabilities | undefined,
): Consent {
  const now = elicitationDeclaration.safeParse(envelope).data?.[CLIENT_CAPABILITIES_META_KEY]
  const { elicitation } = now ?? declared ?? {}
  return {
    // Clients that declare elicitation without a mode support forms.
    canAsk: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    answerTo(key) {
      const response = inputResponse(inputResponses, key)
      if (response.kind !== 'elicit') return undefined
      return response.action === 'accept' && response.content?.['confirm'] === true
    },
  }
}

/** Result of a call that continues after the user has answered. */
function toInputRequest({ key, text }: ConsentQuestion): InputRequiredResult {
  const confirm = { type: 'boolean', title: 'Continue', default: true } as const
  const elicitation = inputRequired.elicit({
    message: text,
    requestedSchema: { type: 'object', properties: { confirm }, required: ['confirm'] },
  })
  return inputRequired({ inputRequests: { [key]: elicitation } })
}
