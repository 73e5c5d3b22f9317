import { isLoopback } from '../../platform/loopback.ts'

/** Tells whether files may be fetched from an address: https, or http on this machine, and without a password. */
export function isDownloadUrl(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, username, password } = new URL(address)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  return isSafe && username === '' && password === ''
}

/** Tells whether an address may send us on to another: what begins on the internet is not sent to this machine. */
export function isSafeRedirect(start: URL, next: string): boolean {
  return isDownloadUrl(next) && (isLoopback(start.hostname) || !isLoopback(new URL(next).hostname))
}

/** Tells an address from a folder. */
export function isHttpUrl(given: string): boolean {
  return /^https?:\/\//i.test(given)
}
