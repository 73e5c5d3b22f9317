import iconv from 'iconv-lite'
import { detectEncoding } from './detect-encoding.ts'
import type { Encoding } from './encoding-tables.ts'

/** A decoded text file. */
export interface TextSource {
  readonly bytes: Uint8Array
  readonly encoding: Encoding
  /** Whether the file starts with a byte order mark. `text` does not contain it. */
  readonly bom: boolean
  readonly text: string
}

/** Decodes a text file and detects its encoding. The language, such as `zh-CN`, decides between similar encodings. */
export function readSource(bytes: Uint8Array, language = ''): TextSource {
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))
  const encoding = marked?.[0] ?? detectEncoding(bytes, language)
  const body = bytes.subarray(marked?.[1].length ?? 0)
  return { bytes, encoding, bom: marked !== undefined, text: decodeText(body, encoding) }
}

/** Encodes a text; undefined if the encoding cannot represent it. */
export function encodeText(text: string, encoding: Encoding): Uint8Array | undefined {
  if (encoding === 'utf-8') return Buffer.from(text)
  const bytes = iconv.encode(text, encoding)
  return decodeText(bytes, encoding) === text ? bytes : undefined
}

/** Returns the bytes of the smallest unit of an encoding, of which ASCII characters take one. */
export function unitBytes(encoding: Encoding): 1 | 2 | 4 {
  return encoding.startsWith('utf-32') ? 4 : encoding.startsWith('utf-16') ? 2 : 1
}

/** Returns the byte order mark of a Unicode encoding; empty for others. */
export function byteOrderMark(encoding: Encoding): Uint8Array {
  return Uint8Array.from(byteOrderMarks.find(([name]) => name === encoding)?.[1] ?? [])
}

/** Longest first: the mark of UTF-32 LE begins with that of UTF-16 LE. */
const byteOrderMarks: readonly (readonly [Encoding, readonly number[]])[] = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

function decodeText(bytes: Uint8Array, encoding: Encoding): string {
  // TextDecoder has no UTF-32, and some releases of Node decode windows-1252 as latin1.
  if (encoding === 'utf-8' || encoding.startsWith('utf-16'))
    return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes)
  return iconv.decode(bytes, encoding, { stripBOM: false }).toWellFormed()
}
