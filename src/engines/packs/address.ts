import { isLoopback } from '../../platform/loopback.ts'

/** Tells whether files may be fetched from an address: https, or http on this machine, and without a password. */
export function isAskable(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, username, password } = new URL(address)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  return isSafe && username === '' && password === ''
}

/** Tells an address from a folder. */
export function isAddress(given: string): boolean {
  return /^https?:\/\//i.test(given)
}
