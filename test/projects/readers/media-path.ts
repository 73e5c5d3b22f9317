import type { Inspection } from './read-project.ts'

/** Characters that a URL may contain (RFC 3986), without those that end its path. */
const urlPath = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/[\]]|%[0-9A-Fa-f]{2})*$/

/**
 * Returns the path of a file URL: POSIX, or Windows with backslashes for a drive or a server. Reports a URL whose
 * special characters are not encoded, and one of another scheme. Returns a relative reference decoded.
 */
export function pathOfUrl(url: string, where: string, inspection: Inspection): string {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]+):/.exec(url)?.[1]
  if (url === '') inspection.broken('path', where, 'the URL of the media is empty')
  if (scheme !== undefined && scheme.toLowerCase() !== 'file') {
    inspection.broken('path', where, `${url} is not a file URL`)
  }
  const rest = scheme === undefined ? url : url.slice(scheme.length + 1)
  if (!urlPath.test(rest)) {
    inspection.broken('path', where, `${url} contains a character that a URL must encode`)
  }
  if (scheme === undefined) return decode(url, where, inspection)
  const [, host = '', encoded = rest] = /^\/\/([^/]*)(.*)$/.exec(rest) ?? []
  const path = decode(encoded, where, inspection)
  if (!path.startsWith('/')) inspection.broken('path', where, `${url} has no absolute path`)
  if (host !== '' && host !== 'localhost') return `\\\\${host}${path.replaceAll('/', '\\')}`
  return /^\/[A-Za-z]:\//.test(path) ? path.slice(1).replaceAll('/', '\\') : path
}

function decode(encoded: string, where: string, inspection: Inspection): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    inspection.broken('path', where, `${encoded} is not percent-encoded UTF-8`)
    return encoded
  }
}
