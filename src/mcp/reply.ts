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

/** What a tool answers: data, and small pictures beside it. */
export interface ToolReply {
  readonly data: Readonly<Record<string, unknown>>
  readonly images?: readonly { readonly bytes: Buffer; readonly mimeType: string }[]
  /** What the user is asked instead; the call comes again with what was said. */
  readonly question?: ConsentQuestion
}

/** A tool's answer: the data as structured content and as text, since clients show the model either. */
export function toResult({ question, ...told }: ToolReply): CallToolResult | InputRequiredResult {
  return question ? toInputRequest(question) : toDataResult(told)
}

/** Data, and small pictures beside it. */
export function toDataResult({ data, images = [] }: Omit<ToolReply, 'question'>): CallToolResult {
  return {
    content: [
      { type: 'text', text: JSON.stringify(data) },
      ...images.map(({ bytes, mimeType }) => ({
        type: 'image' as const,
        data: bytes.toString('base64'),
        mimeType,
      })),
    ],
    structuredContent: data,
  }
}

/** An error for the agent: text alone, as older clients validate structured content even on errors. */
export function toErrorResult(error: unknown): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: describeError(error) }] }
}

/** `CODE: what. Fix: … Retryable: yes|no`; a bug answers 6500 without its text. */
export function describeError(error: unknown): string {
  const shown = error instanceof MediaError ? error : new MediaError(6500, 'Internal error')
  const fix = shown.hint.replace(/\.?$/, '.')
  return `${shown.code}: ${shown.message.replace(/\.?$/, '.')} Fix: ${fix} Retryable: ${shown.retryable ? 'yes' : 'no'}`
}

/** A question for the user that is answered by yes or no. */
interface ConsentQuestion {
  /** Names what is asked, figures included: a yes counts for nothing else. */
  readonly key: string
  readonly text: string
}

/** What the user of a client was asked in a call, over as many rounds as that takes. */
export interface Consent {
  /** Whether the client puts questions to its user. */
  readonly canAsk: boolean
  /** What the user said to a question; undefined while it was not asked. */
  answerTo(key: string): boolean | undefined
}

/** What newer clients declare with each request. */
const elicitationDeclaration = z.object({
  [CLIENT_CAPABILITIES_META_KEY]: z.object({
    elicitation: z.object({ form: z.unknown(), url: z.unknown() }).partial().optional(),
  }),
})

/** The consent that came with a request; `declared` are the capabilities of an older client. */
export function readConsent(
  { envelope, inputResponses }: Pick<ServerContext['mcpReq'], 'envelope' | 'inputResponses'>,
  declared: ClientCapabilities | undefined,
): Consent {
  const now = elicitationDeclaration.safeParse(envelope).data?.[CLIENT_CAPABILITIES_META_KEY]
  const { elicitation } = now ?? declared ?? {}
  return {
    // Clients that say no more than that they can ask show forms.
    canAsk: elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined),
    answerTo(key) {
      const response = inputResponse(inputResponses, key)
      if (response.kind !== 'elicit') return undefined
      return response.action === 'accept' && response.content?.['confirm'] === true
    },
  }
}

/** The answer of a call that goes on once the user has been asked. */
function toInputRequest({ key, text }: ConsentQuestion): InputRequiredResult {
  const confirm = { type: 'boolean', title: 'Go ahead', default: true } as const
  const elicitation = inputRequired.elicit({
    message: text,
    requestedSchema: { type: 'object', properties: { confirm }, required: ['confirm'] },
  })
  return inputRequired({ inputRequests: { [key]: elicitation } })
}
