import { MediaError } from '../../contract/errors.ts'
import { errorCode } from '../../platform/error-code.ts'
import { networkCode } from '../../platform/network-failure.ts'
import { TooLargeError } from '../../platform/read-at-most.ts'
import { inOneLine, mayPass, Refusal } from './refusal.ts'
import { aboutServices, nameOf, type Service, type ServiceNeed } from './services.ts'

/** A service as its errors tell it. */
export interface Told {
  readonly need: ServiceNeed
  readonly service: Service
}

/** A failed request. */
interface Judged {
  /** What it is told as. */
  readonly error: unknown
  /** Whether the same request may be sent again, and after how long where the service said so. */
  readonly again: boolean
  readonly waitMs?: number | undefined
}

/** A longer wait that a service asks for is left to whoever asked, s. */
const longestWait = 60

/** What a failed request means, and whether it may be sent again. */
export function judge(told: Told, error: unknown): Judged {
  if (error instanceof Refusal) {
    const { after = 0 } = error
    const waitMs = error.after === undefined ? undefined : after * 1000
    return { error: refused(told, error), again: mayPass(error) && after <= longestWait, waitMs }
  }
  if (error instanceof TooLargeError) return { error: strange(told, 'answers far too much'), again: false }
  if (error instanceof Error && error.name === 'HTTPParserError') {
    return { error: strange(told, 'does not speak HTTP'), again: false }
  }
  const code = errorCode(error)
  return code === undefined
    ? { error, again: false }
    : { error: notReached(told, error, code), again: networkCode(error) !== undefined }
}

/** Of the refusals that may pass, the ones that say the service has too much to do. */
const busy = new Set([408, 425, 429, 503, 504])

function refused({ need, service }: Told, refusal: Refusal): MediaError {
  const name = nameOf(service)
  const { status, said, after } = refusal
  const why = `HTTP ${status}${said && `: ${said}`}`
  if (mayPass(refusal)) {
    return busy.has(status)
      ? new MediaError(6402, `${name} is busy (${why})`, { cause: refusal, retryAfter: after })
      : new MediaError(6401, `${name} failed (${why})`, { cause: refusal, hint: lookAtIt })
  }
  if (status === 401 || status === 403) {
    const what = service.key === undefined ? 'asks for a key' : 'refused its key'
    const hint = `Set "${need}_key" (${aboutServices[need].keyVariable}).`
    return final(`${name} ${what} (${why})`, hint, refusal)
  }
  const what =
    status >= 300 && status < 400
      ? 'sends on to another address, which is not followed'
      : status === 404 || status === 405
        ? 'has no such model or endpoint'
        : 'refused the request'
  return final(`${name} ${what} (${why})`, checkSetting(need), refusal)
}

/** What is no answer of the API that the service is said to speak; may quote it. */
export function strange({ need, service }: Told, what: string): MediaError {
  return final(`${nameOf(service)} ${inOneLine(what)}`, checkSetting(need))
}

/** Nothing came in time. */
export function tooSlow({ service }: Told, milliseconds: number): MediaError {
  const message = `${nameOf(service)} did not answer within ${milliseconds / 1000} s`
  return new MediaError(6402, message, { hint: lookAtIt })
}

/** There is no connection, or it broke each time. */
function notReached({ need, service }: Told, cause: unknown, code: string): MediaError {
  return new MediaError(6401, `${nameOf(service)} cannot be reached (${code})`, {
    cause,
    hint: `Start it, or correct the setting "${need}".`,
  })
}

const lookAtIt = 'Try again later; the log of that service may tell more.'

function final(message: string, hint: string, cause?: unknown): MediaError {
  return new MediaError(6401, message, { cause, hint, retryable: false })
}

function checkSetting(need: ServiceNeed): string {
  return `Check the setting "${need}": an address such as ${aboutServices[need].example}.`
}
