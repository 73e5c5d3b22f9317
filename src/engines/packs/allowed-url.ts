import { isLoopback } from '../../platform/loopback.ts'

/** Whether files may be downloaded from a URL: https, or http on this machine, without a password. */
export function isDownloadUrl(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, username, password } = new URL(address)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  return isSafe && username === '' && password === ''
}

/** Whether a redirect may be followed: URLs of the internet must not redirect to this machine. */
export function isSafeRedirect(start: URL, next: string): boolean {
  return isDownloadUrl(next) && (isLoopback(start.hostname) || !isLoopback(new URL(next).hostname))
}

/** Whether a mirror is a URL rather than a folder. */
export function isHttpUrl(mirror: string): boolean {
  return /^https?:\/\//i.test(mirror)
}
