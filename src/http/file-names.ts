/** Longest stored name, bytes of UTF-8: the limit of file systems. */
const maxStoredNameBytes = 255

/** Longest extension, characters including the dot. */
const maxExtensionLength = 16

/**
 * Invisible characters: they break lines, or reverse the text direction and so disguise an extension. Joiners are
 * kept because emoji and several scripts need them.
 */
const invisibleCharacters = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu

/** A client's file name without folders and invisible characters, shortened before its extension. */
export function sanitizeFileName(given: string): string {
  const last = given.toWellFormed().split(/[/\\]/).at(-1) ?? ''
  const clean = last.replaceAll(invisibleCharacters, '').normalize('NFC').trim()
  const dot = clean.lastIndexOf('.')
  const split = dot > 0 && clean.length - dot <= maxExtensionLength ? dot : clean.length
  const end = clean.slice(split)
  const stem = truncateToBytes(clean.slice(0, split), maxStoredNameBytes - Buffer.byteLength(end))
  return (stem + end).trim() || 'file'
}

/** Longest prefix of whole graphemes within this many bytes of UTF-8. */
function truncateToBytes(text: string, bytes: number): string {
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (Buffer.byteLength(kept + segment) > bytes) break
    kept += segment
  }
  return kept
}

/** `Content-Disposition` of a download (RFC 6266), with an ASCII name for old clients and the full name. */
export function contentDisposition(name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const whole = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${whole}`
}
