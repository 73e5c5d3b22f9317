import type { Dispatcher } from 'undici'
import { atMost } from '../../platform/at-most.ts'
import { backoff, pauseByClock, type Pause } from '../../platform/backoff.ts'
import { conceal } from '../../platform/log.ts'
import { readAtMost } from '../../platform/read-at-most.ts'
import { readAddress } from './address.ts'
import { judge, tooSlow, type Told } from './failures.ts'
import { pacer } from './pace.ts'
import { Refusal, saidIn, secondsOf } from './refusal.ts'

/** A request of a service: with JSON or a form, else a GET. */
export interface Request {
  /** Below the service's address: `/models`. */
  readonly path: string
  readonly json?: unknown
  readonly form?: readonly (readonly [field: string, value: string | SentFile])[]
  readonly signal: AbortSignal
}

/** A file in a form. */
interface SentFile {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** What came with success. */
export interface Answer {
  /** The media type, in lower case, without parameters; empty where none is said. */
  readonly type: string
  readonly bytes: Buffer
}

/** A connection with a service. */
export interface ServiceClient extends AsyncDisposable {
  readonly told: Told
  /** What it answers to a request; every failure is a MediaError, or the signal's own reason. */
  send(request: Request): Promise<Answer>
}

/** How patient a connection is, and how much it takes. */
export interface Limits {
  /** Until an answer begins, and until all of it is here with everything tried again, ms. */
  readonly firstByteMs: number
  readonly wholeMs: number
  readonly maxBytes: number
}

/** What tests tell of: time is theirs. */
export interface ClientOptions extends Partial<Limits> {
  readonly pause?: Pause
  readonly clock?: () => number
}

/** Sends of one request before it is given up. */
const maxTries = 5

/** Requests at once where the settings do not say. */
const usualConcurrency = 2

/** Enough of the body of a refusal. */
const refusalBytes = 64 * 1024

/** Opens a connection with a service. Its key goes to its address alone, and is blanked in all that is told. */
export function openClient(told: Told, limits: Limits & ClientOptions): ServiceClient {
  const { service } = told
  if (service.key !== undefined) conceal(service.key)
  const { pause = pauseByClock, clock, wholeMs } = limits
  const pace = pacer({ perMinute: service.requests_per_minute, clock, pause })
  const inTurn = atMost(service.concurrency ?? usualConcurrency)
  const base = readAddress(service.address).base.href.replace(/\/+$/, '')
  let agent: Dispatcher | undefined

  async function attempt(request: Request, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted()
    await pace(signal)
    const { Agent, request: ask } = await import('undici')
    // The limits are our own: a model may think for minutes before it says a word.
    agent ??= new Agent({ connect: { timeout: 10_000 }, headersTimeout: 0, bodyTimeout: 0 })
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(tooSlow(told, limits.firstByteMs)), limits.firstByteMs)
    try {
      const response = await ask(base + request.path, {
        ...(await contentOf(request, service.key)),
        signal: AbortSignal.any([signal, late.signal]),
        dispatcher: agent,
      })
      clearTimeout(timer)
      return await readAnswer(response, limits.maxBytes)
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    told,
    async send(request) {
      const limit = AbortSignal.timeout(wholeMs)
      const signal = AbortSignal.any([request.signal, limit])
      for (let failures = 1; ; failures += 1) {
        try {
          return await Promise.race([inTurn(() => attempt(request, signal)), untilAborted(signal)])
        } catch (error) {
          request.signal.throwIfAborted()
          if (limit.aborted) throw tooSlow(told, wholeMs)
          const { error: failure, again, waitMs = backoff(failures + 1) } = judge(told, error)
          if (!again || failures === maxTries) throw failure
          // Where the pause ends by the time limit, the failure says more.
          if (!(await pauses(pause, waitMs, signal)))
            throw request.signal.aborted ? request.signal.reason : failure
        }
      }
    },
    async [Symbol.asyncDispose]() {
      await agent?.destroy()
    },
  }
}

/** False where it was ended. */
async function pauses(pause: Pause, milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return await pause(milliseconds, signal).then(
    () => true,
    () => false,
  )
}

/** Whoever waits for a turn need not wait for it to come. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}

async function contentOf({ json, form }: Request, key: string | undefined) {
  const headers = {
    accept: 'application/json, */*',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
  }
  if (json !== undefined) return { method: 'POST', headers, body: JSON.stringify(json) } as const
  if (form === undefined) return { method: 'GET', headers } as const
  const { FormData } = await import('undici')
  const body = new FormData()
  for (const [field, value] of form) {
    if (typeof value === 'string') body.append(field, value)
    else body.append(field, new Blob([value.bytes], { type: value.type }), value.name)
  }
  return { method: 'POST', headers, body } as const
}

async function readAnswer(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<Answer> {
  const isFine = status >= 200 && status < 300
  const bytes = await readAtMost(body as AsyncIterable<Uint8Array>, isFine ? maxBytes : refusalBytes)
  if (!isFine) {
    throw new Refusal(status, {
      said: saidIn(bytes.toString('utf8')),
      after: secondsOf(headers['retry-after']),
    })
  }
  const [type = ''] = String(headers['content-type'] ?? '').split(';')
  return { type: type.trim().toLowerCase(), bytes }
}
