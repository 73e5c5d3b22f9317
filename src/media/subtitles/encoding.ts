import chardet from 'chardet'
import iconv from 'iconv-lite'
import { models } from './encoding-models.ts'
import type { Encoding, SingleByte } from './encoding-tables.ts'

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
  const encoding = marked?.[0] ?? detect(bytes, language)
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

/** Most bytes that are looked at where the whole file need not be. */
const sampleBytes = 2 ** 16

/** What an announced language is worth: as much as two characters that another encoding explains badly. */
const announced = 12

function detect(bytes: Uint8Array, language: string): Encoding {
  const wide = wideOrder(bytes.subarray(0, sampleBytes))
  if (wide) return wide
  if (isUtf8(bytes)) return 'utf-8'
  const sample = bytes.subarray(sampleStart(bytes)).subarray(0, sampleBytes)
  const scored = models().map(({ encoding, languages, score }) => ({
    encoding,
    score: score(sample) + (language !== '' && languages.test(language) ? announced : 0),
  }))
  const best = scored.reduce((one, other) => (other.score > one.score ? other : one))
  return best.encoding === 'windows-1252' ? latinPage(sample, language) : best.encoding
}

/** Where the first line with a byte beyond ASCII begins. */
function sampleStart(bytes: Uint8Array): number {
  const first = bytes.findIndex((byte) => byte >= 0x80)
  return Math.max(0, bytes.lastIndexOf(0x0a, first) + 1)
}

/** The order of the bytes of UTF-16 without a mark: every file of times has digits, whose upper byte is 0. */
function wideOrder(sample: Uint8Array): Encoding | undefined {
  const zeros = [0, 0]
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  const many = sample.length / 20
  if (odd > many && even < odd / 20) return 'utf-16le'
  return even > many && odd < even / 20 ? 'utf-16be' : undefined
}

/** Whether bytes are UTF-8, a few broken ones aside: a file may be cut off or damaged. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    let [good, bad] = [0, 0]
    for (let at = 0; at < bytes.length;) {
      const byte = bytes[at] ?? 0
      const length =
        byte < 0x80 ? 1 : byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 0
      const whole = length > 0 && continues(bytes, at, length)
      if (!whole) bad += 1
      else if (length > 1) good += 1
      at += whole ? length : 1
    }
    return good > 20 * bad
  }
}

function continues(bytes: Uint8Array, at: number, length: number): boolean {
  for (let next = 1; next < length; next += 1) if (((bytes[at + next] ?? 0) & 0xc0) !== 0x80) return false
  return true
}

const pages: readonly (readonly [SingleByte, RegExp])[] = [
  ['windows-1250', /^(cs|pl|hu|sk|sl|hr|ro|sq|bs)/],
  ['windows-1252', /^(en|fr|es|pt|de|it|nl|sv|da|nb|no|fi|is|ca|id|ms|fil)/],
  ['windows-1254', /^(tr|az)/],
  ['windows-1257', /^(lt|lv|et)/],
  ['windows-1258', /^vi/],
]

/** By names of the detector, which knows these languages by their groups of three letters. */
const detected: Readonly<Record<string, SingleByte>> = {
  ...{ 'ISO-8859-2': 'windows-1250', 'windows-1250': 'windows-1250' },
  ...{ 'ISO-8859-9': 'windows-1254', 'windows-1254': 'windows-1254' },
  ...{ 'ISO-8859-1': 'windows-1252', 'windows-1252': 'windows-1252' },
}

/** Which page of Latin letters: by the language it is said to be in, by Vietnamese tones, else by its letters. */
function latinPage(sample: Uint8Array, language: string): Encoding {
  const said = pages.find(([, languages]) => languages.test(language))
  if (said) return said[0]
  if (hasTones(sample)) return 'windows-1258'
  const found = chardet.analyse(sample).find(({ name }) => name in detected)
  return detected[found?.name ?? ''] ?? 'windows-1252'
}

/** Whether marks of tones stand after vowels, which windows-1258 alone writes so. */
function hasTones(sample: Uint8Array): boolean {
  const text = Buffer.from(sample).toString('latin1')
  const letters = text.match(/[\x80-\xff]/g)?.length ?? 0
  const tones = text.match(/[aeiouyâêôãõý][\xcc\xd2\xde\xec\xf2]/gi)?.length ?? 0
  return tones > 2 && tones > letters / 5
}
