import type { Dispatcher } from 'undici'
import { limitConcurrency } from '../../platform/concurrency.ts'
import { registerSecret } from '../../platform/log.ts'
import { exponentialDelay, retry, type Wait, waitInRealTime } from '../../platform/retry.ts'
import { classifyFailure, type ServiceTarget, timeoutError } from './failures.ts'
import { readResponse, requestOptions, type ServiceRequest, type ServiceResponse } from './http-exchange.ts'
import { serviceRateLimiter } from './rate-limiter.ts'
import { parseServiceAddress } from './services.ts'

/** A client of one service. */
export interface ServiceClient extends AsyncDisposable {
  readonly target: ServiceTarget
  /** Sends a request, with retries. Throws a MediaError, or the reason of the request's signal. */
  send(request: ServiceRequest): Promise<ServiceResponse>
}

/** Limits of a client. */
interface ClientLimits {
  /** Time until a response starts, and until it is complete including all retries, in milliseconds. */
  readonly firstByteMs: number
  readonly wholeMs: number
  readonly maxBytes: number
  /** Attempts for one request; 5 by default. */
  readonly tries?: number
}

/** Limits, and the clock and waiting that tests replace. */
export interface ClientOptions extends Partial<ClientLimits> {
  readonly pause?: Wait
  readonly clock?: () => number
}

const defaultTries = 5

/** Concurrent requests if the settings set no number. */
export const defaultConcurrency = 2

/** Creates a client of a service. Its key is sent to the service only, and redacted in logs and errors. */
export function openClient(target: ServiceTarget, limits: ClientLimits & ClientOptions): ServiceClient {
  const { service } = target
  if (service.key !== undefined) registerSecret(service.key)
  const { pause = waitInRealTime, clock, wholeMs, tries = defaultTries } = limits
  const pace = serviceRateLimiter(target.kind, service, { clock, pause })
  const limited = limitConcurrency(service.concurrency ?? defaultConcurrency)
  const base = parseServiceAddress(service.address).base.href.replace(/\/+$/, '')
  let agent: Dispatcher | undefined

  async function attempt(request: ServiceRequest, signal: AbortSignal): Promise<ServiceResponse> {
    const { Agent, request: ask } = await import('undici')
    // undici's own limits are off: a model may take minutes before the first byte.
    agent ??= new Agent({ connect: { timeout: 10_000 }, headersTimeout: 0, bodyTimeout: 0 })
    using timeout = timeLimit(() => timeoutError(target, limits.firstByteMs), limits.firstByteMs)
    timeout.begin()
    const response = await ask(base + request.path, {
      ...(await requestOptions(request, service.key)),
      signal: AbortSignal.any([signal, timeout.signal]),
      dispatcher: agent,
    })
    timeout.end()
    return await readResponse(response, limits.maxBytes)
  }

  return {
    target,
    async send(request) {
      using limit = timeLimit(() => timeoutError(target, wholeMs), wholeMs)
      const signal = AbortSignal.any([request.signal, limit.signal])
      const turn = async (): Promise<ServiceResponse> => {
        signal.throwIfAborted()
        await pace(signal)
        // Waiting for the rate limit does not count as time of the service.
        limit.begin()
        return await attempt(request, signal)
      }
      let failure: unknown
      return await retry(() => Promise.race([limited(turn), rejectOnAbort(signal)]), {
        signal,
        delayAfter(error, failures) {
          request.signal.throwIfAborted()
          const classified = classifyFailure(target, error)
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

/** Rejects when the signal aborts, so that a request that waits for its turn fails at once. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}

/** A time limit that runs from `begin` to `end`. Its signal aborts with the reason when the time has passed. */
function timeLimit(reason: () => Error, milliseconds: number) {
  const timeout = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const end = (): void => clearTimeout(timer)
  return {
    signal: timeout.signal,
    begin: () => void (timer ??= setTimeout(() => timeout.abort(reason()), milliseconds)),
    end,
    [Symbol.dispose]: end,
  }
}
