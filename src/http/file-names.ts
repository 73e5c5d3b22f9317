/** Longest name kept, bytes of UTF-8: what file systems take. */
const maxStoredNameBytes = 255

/** Longest ending that is taken for an extension, characters with its dot. */
const maxExtensionLength = 16

// What is not seen: it breaks lines, or turns the direction of text and so disguises an extension.
// Joiners stay, as emoji and several scripts need them.
const invisibleCharacters = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu

/** A file name as given by a client, without folders and what is not seen; its end kept. */
export function sanitizeFileName(given: string): string {
  const last = given.toWellFormed().split(/[/\\]/).at(-1) ?? ''
  const clean = last.replaceAll(invisibleCharacters, '').normalize('NFC').trim()
  const dot = clean.lastIndexOf('.')
  const split = dot > 0 && clean.length - dot <= maxExtensionLength ? dot : clean.length
  const end = clean.slice(split)
  const stem = truncateToBytes(clean.slice(0, split), maxStoredNameBytes - Buffer.byteLength(end))
  return (stem + end).trim() || 'file'
}

/** As many whole characters, as a reader sees them, as so many bytes of UTF-8 hold. */
function truncateToBytes(text: string, bytes: number): string {
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (Buffer.byteLength(kept + segment) > bytes) break
    kept += segment
  }
  return kept
}

/** `Content-Disposition` of a download (RFC 6266): the name in ASCII for old clients, and whole. */
export function contentDisposition(name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const whole = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${whole}`
}
