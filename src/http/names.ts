/** Longest name kept, bytes of UTF-8: what file systems take. */
const maxNameBytes = 255

// C0 and C1 controls, and the marks that turn the direction of text and so disguise an extension.
const deceptive = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** A file name as given by a client, without folders, controls and marks of direction; its end kept. */
export function safeName(given: string): string {
  const last = given.toWellFormed().normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const clean = last.replaceAll(deceptive, '').trim()
  const dot = clean.lastIndexOf('.')
  const end = dot > 0 ? clean.slice(dot) : ''
  let stem = dot > 0 ? clean.slice(0, dot) : clean
  while (Buffer.byteLength(stem + end) > maxNameBytes && stem !== '') stem = [...stem].slice(0, -1).join('')
  return stem + end || 'file'
}

/** `Content-Disposition` of a download (RFC 6266): the name in ASCII for old clients, and whole. */
export function attachment(name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const whole = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${whole}`
}
