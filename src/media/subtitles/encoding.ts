import iconv from 'iconv-lite'
import { detectEncoding } from './detect-encoding.ts'
import type { Encoding } from './encoding-tables.ts'

/** A text file as it was read. */
export interface TextSource {
  readonly bytes: Uint8Array
  readonly encoding: Encoding
  /** Whether a byte order mark stands before the text; the text has none. */
  readonly bom: boolean
  readonly text: string
}

/** Reads a text file whose encoding is found out; the language it is said to be in settles what is in doubt. */
export function readSource(bytes: Uint8Array, language = ''): TextSource {
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))
  const encoding = marked?.[0] ?? detectEncoding(bytes, language)
  const body = bytes.subarray(marked?.[1].length ?? 0)
  return { bytes, encoding, bom: marked !== undefined, text: decodeText(body, encoding) }
}

/** The bytes of a text in an encoding; undefined where it holds what the encoding cannot write. */
export function encodeText(text: string, encoding: Encoding): Uint8Array | undefined {
  if (encoding === 'utf-8') return Buffer.from(text)
  const bytes = iconv.encode(text, encoding)
  return decodeText(bytes, encoding) === text ? bytes : undefined
}

/** The byte order mark of an encoding of Unicode; of the others, nothing. */
export function byteOrderMark(encoding: Encoding): Uint8Array {
  return Uint8Array.from(byteOrderMarks.find(([name]) => name === encoding)?.[1] ?? [])
}

const byteOrderMarks: readonly (readonly [Encoding, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

function decodeText(bytes: Uint8Array, encoding: Encoding): string {
  // Node's own decoder is right for Unicode alone: some releases take windows-1252 for latin1.
  if (encoding.startsWith('utf')) return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes)
  return iconv.decode(bytes, encoding, { stripBOM: false })
}
