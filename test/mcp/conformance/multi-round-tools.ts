import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type InputRequests,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { textResult, type FixtureResult, type FixtureTool } from './tools.ts'

const secret = randomBytes(32)

function sign(state: string): string {
  return `${state}.${createHmac('sha256', secret).update(state).digest('base64url')}`
}

/** Returns the request state if this server signed it. Throws invalid params otherwise. */
function verifiedState(context: ServerContext): string | undefined {
  const requestState = context.mcpReq.requestState<string>()
  if (requestState === undefined) return undefined
  const state = requestState.slice(0, Math.max(0, requestState.lastIndexOf('.')))
  const [expected, received] = [Buffer.from(sign(state)), Buffer.from(requestState)]
  if (expected.length === received.length && timingSafeEqual(expected, received)) return state
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The request state was changed')
}

const elicit = (message: string, name: string, type = 'string') =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [name]: { type } }, required: [name] } as never,
  })
const requestSample = (words: string) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: words } }],
    maxTokens: 100,
  })

/** Value that the user entered in a field; undefined if they did not accept. */
export function elicitedValue(context: ServerContext, key: string, field: string): string | undefined {
  const response = inputResponse(context.mcpReq.inputResponses, key)
  const value =
    response.kind === 'elicit' && response.action === 'accept' ? response.content?.[field] : undefined
  return typeof value === 'string' || value === undefined ? value : JSON.stringify(value)
}

const hasResponse = (context: ServerContext, key: string): boolean =>
  inputResponse(context.mcpReq.inputResponses, key).kind !== 'missing'

/** Asks in one round, and returns the result in the next. */
function oneRound(
  inputRequests: InputRequests,
  done: (context: ServerContext) => string | undefined,
  state?: string,
): FixtureTool {
  return {
    description: 'Asks once before it returns',
    run({ context }) {
      const known = verifiedState(context)
      const answer = state === undefined || known === state ? done(context) : undefined
      if (answer !== undefined) return textResult(answer)
      return inputRequired({ inputRequests, ...(state !== undefined && { requestState: sign(state) }) })
    },
  }
}

function multiRound(context: ServerContext): FixtureResult {
  const state = verifiedState(context)
  const color = elicitedValue(context, 'step2', 'color')
  if (state?.startsWith('named ') && color !== undefined)
    return textResult(`${state.slice(6)} likes ${color}`)
  const name = elicitedValue(context, 'step1', 'name')
  if (state === 'begun' && name !== undefined) {
    return inputRequired({
      inputRequests: { step2: elicit('Step 2: What is your favorite color?', 'color') },
      requestState: sign(`named ${name}`),
    })
  }
  return inputRequired({
    inputRequests: { step1: elicit('Step 1: What is your name?', 'name') },
    requestState: sign('begun'),
  })
}

/** Requests only input that the client declared to support. */
function requestByCapabilities(context: ServerContext): FixtureResult {
  const envelope: Readonly<Record<string, unknown>> = { ...context.mcpReq.envelope }
  const declared = (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Record<string, unknown>
  const inputRequests = {
    ...(declared['elicitation'] !== undefined && { name: elicit('What is your name?', 'name') }),
    ...(declared['sampling'] !== undefined && { words: requestSample('Say hello') }),
    ...(declared['roots'] !== undefined && { roots: inputRequired.listRoots() }),
  }
  return Object.keys(inputRequests).length === 0 || context.mcpReq.inputResponses
    ? textResult('Nothing to ask')
    : inputRequired({ inputRequests })
}

/** Tools that require several rounds (protocol revision 2026-07-28). */
export const multiRoundTools: Readonly<Record<string, FixtureTool>> = {
  test_input_required_result_elicitation: oneRound(
    { user_name: elicit('What is your name?', 'name') },
    (context) => {
      const name = elicitedValue(context, 'user_name', 'name')
      return name === undefined ? undefined : `Hello, ${name}!`
    },
  ),
  test_input_required_result_sampling: oneRound(
    { capital_question: requestSample('What is the capital of France?') },
    (c) => (hasResponse(c, 'capital_question') ? 'Answered' : undefined),
  ),
  test_input_required_result_list_roots: oneRound({ client_roots: inputRequired.listRoots() }, (context) =>
    hasResponse(context, 'client_roots') ? 'Roots seen' : undefined,
  ),
  test_input_required_result_request_state: oneRound(
    { confirm: elicit('Please confirm', 'ok', 'boolean') },
    (context) => (elicitedValue(context, 'confirm', 'ok') === undefined ? undefined : 'state-ok'),
    'asked',
  ),
  test_input_required_result_tampered_state: oneRound(
    { confirm: elicit('Please confirm', 'ok', 'boolean') },
    (context) => (elicitedValue(context, 'confirm', 'ok') === undefined ? undefined : 'state-ok'),
    'asked-signed',
  ),
  test_input_required_result_multiple_inputs: oneRound(
    {
      user_name: elicit('What is your name?', 'name'),
      greeting: requestSample('Generate a greeting'),
      client_roots: inputRequired.listRoots(),
    },
    (context) =>
      ['user_name', 'greeting', 'client_roots'].every((key) => hasResponse(context, key))
        ? 'All answered'
        : undefined,
    'asked-all',
  ),
  test_input_required_result_multi_round: {
    description: 'Asks twice before it returns',
    run: ({ context }) => multiRound(context),
  },
  test_input_required_result_capabilities: {
    description: 'Requests input that the client supports',
    run: ({ context }) => requestByCapabilities(context),
  },
}
