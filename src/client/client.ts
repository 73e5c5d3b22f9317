import { Readable } from 'node:stream'
import { Agent, errors, request as send, WebSocket, type Dispatcher } from 'undici'
import type * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { answersQuestionsHeader } from '../contract/questions.ts'
import type { PathParameter, Query, Route } from '../contract/route.ts'
import { fillPath, rawRoutes } from '../contract/routes.ts'
import { isLoopback } from '../platform/loopback.ts'
import { retry } from '../platform/retry.ts'
import { isNetworkFailure, wasRequestUnsent } from '../platform/system-error.ts'
import { readEnvelopeData, unreachableError } from './response.ts'

/** Parameters of a call, as its route declares them. */
export interface CallOptions<R extends Route> {
  /** For the `{names}` in the route's path. */
  readonly params?: Readonly<Record<PathParameter<R['path']>, string>>
  readonly query?: R extends { query: z.ZodType } ? z.input<R['query']> : undefined
  /** Sent as JSON. */
  readonly body?: R extends { body: z.ZodType } ? z.input<R['body']> : undefined
  /** Makes a creation safe to repeat: the service performs it once per key. */
  readonly idempotencyKey?: string
  /** `Prefer` header (RFC 7240), such as to join an existing task. */
  readonly prefer?: string | undefined
  /** Whether the caller offers to answer questions to a language model. */
  readonly offersAnswers?: boolean | undefined
  readonly signal?: AbortSignal
}

/** An untyped request, for bytes in either direction. */
export interface RawRequest {
  readonly method: Route['method']
  /** A path of the service, or a URL that it returned. */
  readonly address: string
  readonly query?: Query | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Creates the body; called for each attempt. */
  readonly body?: () => string | AsyncIterable<Uint8Array>
  /** Whether it may be sent twice. If not, it is repeated only if it was never sent. */
  readonly idempotent: boolean
  readonly signal?: AbortSignal
}

/** A media service, over its HTTP contract. */
export interface Client {
  /** Calls an endpoint and returns the checked data of its envelope; every failure is a MediaError. */
  call<R extends Route>(route: R, request?: CallOptions<R>): Promise<z.output<R['data']>>
  /** Sends a request and returns the response with any status. Throws only for network failures (6401). */
  send(request: RawRequest): Promise<Dispatcher.ResponseData>
  /** Opens the event socket. Every failure is a MediaError. */
  openEvents(): Promise<WebSocket>
  /** Closes at once; running requests fail. */
  close(): Promise<void>
}

/** A client with a fixed URL and API key. */
export interface Connection extends Client {
  /** Rejects new requests, and closes after the last running one. */
  retire(): Promise<void>
}

interface ConnectionOptions {
  /** URL of the service, such as `http://127.0.0.1:4100`; may have a path. */
  readonly baseUrl: string
  readonly apiKey: string
}

/** Delays before the second and third attempt, ms. */
const retryDelaysMs = [100, 400]

/** Creation probes its files, and some services return the result: clients must wait at least 180 s (contract 3, 4.5). */
const headersTimeoutMs = 200_000

/** Creates a client. Sends the key only to the service's origin, and over plain http only on this machine. */
export function createClient({ baseUrl, apiKey }: ConnectionOptions): Connection {
  const base = parseBaseUrl(baseUrl)
  let retired = false
  const dispatcher = new Agent({ headersTimeout: headersTimeoutMs, connect: { timeout: 10_000 } })

  async function attempt(request: RawRequest): Promise<Dispatcher.ResponseData> {
    if (retired) throw unreachableError(base.href, new errors.ClientClosedError())
    const url = resolveAddress(base, request)
    const body = request.body?.()
    return await send(url, {
      method: request.method,
      headers: { ...request.headers, ...(url.origin === base.origin && { authorization: apiKey }) },
      body: typeof body === 'object' ? Readable.from(body) : body,
      signal: request.signal,
      dispatcher,
    })
  }

  function sendWithRetry(request: RawRequest): Promise<Dispatcher.ResponseData> {
    return retry(() => attempt(request), {
      signal: request.signal,
      delayAfter(error, failures) {
        if (!isNetworkFailure(error)) throw error
        const delayMs = retryDelaysMs[failures - 1]
        if (delayMs === undefined || !(request.idempotent || wasRequestUnsent(error)))
          throw unreachableError(base.href, error)
        return delayMs
      },
    })
  }

  return {
    send: sendWithRetry,
    async call(route, request = {}) {
      const response = await sendWithRetry(toRawRequest(route, request))
      try {
        return await readEnvelopeData(route, response)
      } catch (error) {
        throw isNetworkFailure(error) ? unreachableError(base.href, error) : error
      }
    },
    async openEvents() {
      const url = resolveAddress(base, { address: rawRoutes.taskEvents.path })
      url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
      const socket = new WebSocket(url, { headers: { authorization: apiKey }, dispatcher })
      await waitUntilOpen(socket)
      return socket
    },
    retire() {
      retired = true
      return dispatcher.close()
    },
    close: () => dispatcher.destroy(),
  }
}

/** Waits until a WebSocket is open. It does not report why it could not be opened. */
function waitUntilOpen(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true })
    socket.addEventListener('error', ({ error }) => {
      const { host } = new URL(socket.url)
      reject(
        new MediaError(6401, `The event socket of the service at ${host} could not be opened`, {
          cause: error,
        }),
      )
    })
  })
}

function toRawRequest<R extends Route>(
  route: R,
  { params, query, body, idempotencyKey, prefer, offersAnswers, signal }: CallOptions<R>,
): RawRequest {
  return {
    method: route.method,
    address: fillPath(route.path, params),
    query,
    signal,
    idempotent: route.method !== 'POST' || idempotencyKey !== undefined,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(prefer !== undefined && { prefer }),
      ...(offersAnswers && { [answersQuestionsHeader]: '1' }),
    },
    ...(body !== undefined && { body: () => JSON.stringify(body) }),
  }
}

function parseBaseUrl(baseUrl: string): URL {
  const hint = 'Set REELWRIGHT_BASE_URL to a URL such as https://media.example.com'
  if (!URL.canParse(baseUrl))
    throw new MediaError(6401, `${baseUrl} is not a URL`, { retryable: false, hint })
  const url = new URL(baseUrl)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url
  throw new MediaError(6401, `An API key is not sent to ${url.host} without https`, {
    retryable: false,
    hint,
  })
}

function resolveAddress(base: URL, { address, query = {} }: Pick<RawRequest, 'address' | 'query'>): URL {
  const url = URL.canParse(address) ? new URL(address) : new URL(base.href.replace(/\/$/, '') + address)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}
