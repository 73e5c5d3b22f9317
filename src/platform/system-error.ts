/** Error code of the system or a library, such as ENOENT; undefined without one. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** There was no connection, or the client takes nothing new: nothing was sent, so any request may be sent again. */
const notSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_CLOSED',
])

/** The connection broke: the service may or may not have acted. */
const broken = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_DESTROYED',
])

/** The code of a network failure; undefined for every other error. */
export function networkCode(error: unknown): string | undefined {
  const code = errorCode(error)
  return code !== undefined && (notSent.has(code) || broken.has(code)) ? code : undefined
}

/** Whether an error is a network failure. */
export function isNetworkFailure(error: unknown): error is Error {
  return networkCode(error) !== undefined
}

/** Whether the address of a host could not be found. */
export function isUnresolvedHost(error: unknown): boolean {
  return ['ENOTFOUND', 'EAI_AGAIN'].includes(networkCode(error) ?? '')
}

/** Whether a request that failed with this error certainly did not reach the service. */
export function wasRequestUnsent(error: unknown): boolean {
  return notSent.has(networkCode(error) ?? '')
}
