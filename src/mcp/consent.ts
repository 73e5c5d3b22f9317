import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  type ClientCapabilities,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import * as z from 'zod'

/** A question for the user that is answered by yes or no. */
export interface ConsentQuestion {
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
export function toInputRequest({ key, text }: ConsentQuestion): InputRequiredResult {
  const confirm = { type: 'boolean', title: 'Go ahead', default: true } as const
  const elicitation = inputRequired.elicit({
    message: text,
    requestedSchema: { type: 'object', properties: { confirm }, required: ['confirm'] },
  })
  return inputRequired({ inputRequests: { [key]: elicitation } })
}
