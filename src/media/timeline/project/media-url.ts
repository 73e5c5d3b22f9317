/** Windows path with a drive: `C:\videos\a.mp4` or `C:/videos/a.mp4`. */
const drivePath = /^([A-Za-z]):[\\/](.*)$/su
/** Path of a network share: `\\server\share\a.mp4`. */
const sharePath = /^\\\\([^\\/]+)[\\/](.*)$/su

/**
 * Returns the URL of a media path for editing projects: `file:` with an optional host, each name percent-encoded.
 * POSIX, Windows and network paths; a relative path becomes a relative URL. `colon` is how a drive's colon is written.
 */
export function mediaUrl(
  path: string,
  { host = '', colon = ':' }: { readonly host?: string; readonly colon?: string } = {},
): string {
  const drive = drivePath.exec(path)
  if (drive) return `file://${host}/${drive[1]}${colon}/${encodeNames(drive[2] ?? '', /[\\/]/u)}`
  const share = sharePath.exec(path)
  if (share) return `file://${encodeName(share[1] ?? '')}/${encodeNames(share[2] ?? '', /[\\/]/u)}`
  return path.startsWith('/') ? `file://${host}${encodeNames(path, /\//u)}` : encodeNames(path, /[\\/]/u)
}

/** Returns the last name of a POSIX or Windows path. */
export function pathFileName(path: string): string {
  const separators = drivePath.test(path) || sharePath.test(path) || !path.includes('/') ? /[\\/]/u : /\//u
  return path.split(separators).findLast((name) => name !== '') ?? path
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
