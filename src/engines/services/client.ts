import type { Dispatcher } from 'undici'
import { limitConcurrency } from '../../platform/concurrency.ts'
import { registerSecret } from '../../platform/log.ts'
import { exponentialDelay, retry, type Wait, waitInRealTime } from '../../platform/retry.ts'
import { classifyFailure, type ServiceTarget, timeoutError } from './failures.ts'
import { readResponse, requestOptions, type ServiceRequest, type ServiceResponse } from './http-exchange.ts'
import { serviceRateLimiter } from './rate-limiter.ts'
import { parseServiceAddress } from './services.ts'

/** A connection with a service. */
export interface ServiceClient extends AsyncDisposable {
  readonly target: ServiceTarget
  /** What it answers to a request; every failure is a MediaError, or the signal's own reason. */
  send(request: ServiceRequest): Promise<ServiceResponse>
}

/** How patient a connection is, and how much it takes. */
interface ClientLimits {
  /** Until an answer begins, and until all of it is here with everything tried again, ms. */
  readonly firstByteMs: number
  readonly wholeMs: number
  readonly maxBytes: number
  /** Sends of one request before it is given up. */
  readonly tries?: number
}

/** What tests tell of: time is theirs. */
export interface ClientOptions extends Partial<ClientLimits> {
  readonly pause?: Wait
  readonly clock?: () => number
}

/** Where nothing else is said. */
const defaultTries = 5

/** Requests at once where the settings do not say. */
export const defaultConcurrency = 2

/** Opens a connection with a service. Its key goes to its address alone, and is blanked in all that is told. */
export function openClient(told: ServiceTarget, limits: ClientLimits & ClientOptions): ServiceClient {
  const { service } = told
  if (service.key !== undefined) registerSecret(service.key)
  const { pause = waitInRealTime, clock, wholeMs, tries = defaultTries } = limits
  const pace = serviceRateLimiter(told.kind, service, { clock, pause })
  const inTurn = limitConcurrency(service.concurrency ?? defaultConcurrency)
  const base = parseServiceAddress(service.address).base.href.replace(/\/+$/, '')
  let agent: Dispatcher | undefined

  async function attempt(request: ServiceRequest, signal: AbortSignal): Promise<ServiceResponse> {
    const { Agent, request: ask } = await import('undici')
    // The limits are our own: a model may think for minutes before it says a word.
    agent ??= new Agent({ connect: { timeout: 10_000 }, headersTimeout: 0, bodyTimeout: 0 })
    using late = timeLimit(() => timeoutError(told, limits.firstByteMs), limits.firstByteMs)
    late.begin()
    const response = await ask(base + request.path, {
      ...(await requestOptions(request, service.key)),
      signal: AbortSignal.any([signal, late.signal]),
      dispatcher: agent,
    })
    late.end()
    return await readResponse(response, limits.maxBytes)
  }

  return {
    target: told,
    async send(request) {
      using limit = timeLimit(() => timeoutError(told, wholeMs), wholeMs)
      const signal = AbortSignal.any([request.signal, limit.signal])
      const turn = async (): Promise<ServiceResponse> => {
        signal.throwIfAborted()
        await pace(signal)
        // Whoever waits for a turn does not wait for the service.
        limit.begin()
        return await attempt(request, signal)
      }
      let failure: unknown
      return await retry(() => Promise.race([inTurn(turn), rejectOnAbort(signal)]), {
        signal,
        delayAfter(error, failures) {
          request.signal.throwIfAborted()
          const classified = classifyFailure(told, error)
          failure = classified.error
          if (!classified.canRetry || failures === tries) throw failure
          return classified.waitMs ?? exponentialDelay(failures + 1)
        },
        wait: (milliseconds) =>
          pause(milliseconds, signal).catch(() => {
            // When the time limit ends the wait, the last failure says more than the timeout.
            throw request.signal.aborted ? request.signal.reason : failure
          }),
      })
    },
    async [Symbol.asyncDispose]() {
      await agent?.destroy()
    },
  }
}

/** Whoever waits for a turn need not wait for it to come. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}

/** A limit of time that is counted from its begin to its end, and aborts with its reason. */
function timeLimit(reason: () => Error, milliseconds: number) {
  const late = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const end = (): void => clearTimeout(timer)
  return {
    signal: late.signal,
    begin: () => void (timer ??= setTimeout(() => late.abort(reason()), milliseconds)),
    end,
    [Symbol.dispose]: end,
  }
}
