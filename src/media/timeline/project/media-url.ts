/** Windows path with a drive: `C:\videos\a.mp4` or `C:/videos/a.mp4`. */
const drivePath = /^([A-Za-z]):[\\/](.*)$/su
/** Path of a network share: `\\server\share\a.mp4`. */
const sharePath = /^\\\\([^\\/]+)[\\/](.*)$/su

/**
 * Returns the URL of a media path for editing projects: `file:` with an optional host, each name percent-encoded.
 * POSIX, Windows and network paths; a relative path becomes a relative URL, or with a host one in its root, as there are
 * no relative URLs of a host. `colon` is how a drive's colon is written.
 */
export function mediaUrl(
  path: string,
  { host = '', colon = ':' }: { readonly host?: string; readonly colon?: string } = {},
): string {
  const drive = drivePath.exec(path)
  if (drive) return `file://${host}/${drive[1]}${colon}/${encodeNames(drive[2] ?? '', /[\\/]/u)}`
  const share = sharePath.exec(path)
  if (share) return `file://${encodeName(share[1] ?? '')}/${encodeNames(share[2] ?? '', /[\\/]/u)}`
  if (path.startsWith('/')) return `file://${host}${encodeNames(path, /\//u)}`
  const relative = encodeNames(path, /[\\/]/u)
  return host === '' ? relative : `file://${host}/${relative}`
}

/** Returns the last name of a POSIX or Windows path. */
export function pathFileName(path: string): string {
  const separators = drivePath.test(path) || sharePath.test(path) || !path.includes('/') ? /[\\/]/u : /\//u
  return path.split(separators).findLast((name) => name !== '') ?? path
}

/** Returns the path of a name in a folder that a user wrote, with the separator of its system. */
export function pathInFolder(folder: string, name: string): string {
  const { root, separator } = parseFolder(folder)
  return `${root}${separator}${name}`
}

/** Returns a folder that a user wrote without separators at its end, and the separator of its system. */
export function parseFolder(folder: string): { readonly root: string; readonly separator: '/' | '\\' } {
  const separator = folder.includes('\\') && !folder.startsWith('/') ? '\\' : '/'
  return { root: folder.replace(separator === '/' ? /\/+$/u : /[\\/]+$/u, ''), separator }
}

function encodeNames(path: string, separator: RegExp): string {
  return path.split(separator).map(encodeName).join('/')
}

/** Percent-encodes a name, including the characters that `encodeURIComponent` keeps and some editors do not read. */
function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
