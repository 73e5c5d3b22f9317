import { isIP } from 'node:net'
import { isLoopback } from '../../platform/loopback.ts'
import { isPublicAddress } from '../../platform/public-address.ts'

/** Whether files may be downloaded from a URL: https, or http on this machine, without a password. */
export function isDownloadUrl(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, username, password } = new URL(address)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  return isSafe && username === '' && password === ''
}

/**
 * Whether a redirect may be followed: URLs of the internet must not redirect to this machine or to an address of a local
 * network or of a cloud provider's own services. A mirror in a local network may. Host names are not resolved.
 */
export function isSafeRedirect(start: URL, next: string): boolean {
  return isDownloadUrl(next) && (isPrivateHost(start.hostname) || !isPrivateHost(new URL(next).hostname))
}

/** Whether a host is this machine by name, or an address that is not public. */
function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/\.$/, '')
  const address = host.replace(/^\[(.+)\]$/, '$1')
  return isLoopback(host) || /\.localhost$/i.test(host) || (isIP(address) !== 0 && !isPublicAddress(address))
}

/** Whether a mirror is a URL rather than a folder. */
export function isHttpUrl(mirror: string): boolean {
  return /^https?:\/\//i.test(mirror)
}
