import {
  doubleByteModels,
  latinLetterShares,
  latinPages,
  singleByteModels,
  type ByteValueRange,
  type ByteShares,
  type Encoding,
  type LatinPage,
  type PairShares,
} from './encoding-tables.ts'

/** Bytes of a file that are examined, at most, where the whole file is not needed. */
const maxSampleBytes = 2 ** 16

/**
 * Returns the encoding of a file without a byte order mark. UTF-32, UTF-16 and UTF-8 are recognized by their structure, others
 * by the likelihood of their letters. A language such as `zh-CN` decides between encodings of similar likelihood; an
 * empty one decides nothing.
 */
export function detectEncoding(bytes: Uint8Array, language: string): Encoding {
  const start = bytes.subarray(0, maxSampleBytes)
  const wide = detectUtf32(start) ?? detectUtf16(start)
  if (wide) return wide
  if (isUtf8(bytes)) return 'utf-8'
  const sample = bytes.subarray(sampleStart(bytes)).subarray(0, maxSampleBytes)
  const scored = scoreEncodings(sample).map(({ encoding, languages, score }) => ({
    encoding,
    score: score + (language !== '' && languages.test(language) ? languageBonus : 0),
  }))
  const best = scored.reduce((one, other) => (other.score > one.score ? other : one))
  return best.encoding === 'windows-1252' ? detectLatinPage(sample, language) : best.encoding
}

/**
 * Log likelihood added to encodings of the named language: about two characters that another encoding explains badly.
 */
const languageBonus = 12

/** Returns the offset of the first line that has a byte beyond ASCII. */
function sampleStart(bytes: Uint8Array): number {
  const first = bytes.findIndex((byte) => byte >= 0x80)
  return Math.max(0, bytes.lastIndexOf(0x0a, first) + 1)
}

/** Share of units that must be characters, as a file may be damaged, and the fewest units that show it. */
const minUtf32Share = 0.95
const minUtf32Units = 8

/** Recognizes UTF-32 without a mark: all characters are below 0x110000, and most below 0x10000. */
function detectUtf32(sample: Uint8Array): Encoding | undefined {
  const units = Math.floor(sample.length / 4)
  const view = new DataView(sample.buffer, sample.byteOffset, units * 4)
  const characters = (isLittle: boolean) => {
    let count = 0
    for (let at = 0; at < units; at += 1) {
      const code = view.getUint32(at * 4, isLittle)
      if (code > 0 && code < 0x11_00_00) count += 1
    }
    return count
  }
  if (units < minUtf32Units) return undefined
  if (characters(true) >= minUtf32Share * units) return 'utf-32le'
  return characters(false) >= minUtf32Share * units ? 'utf-32be' : undefined
}

/** Recognizes UTF-16 without a mark: all subtitle files have digits, and the upper byte of a digit is 0. */
function detectUtf16(sample: Uint8Array): Encoding | undefined {
  const zeros = [0, 0]
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  const many = sample.length / 20
  if (odd > many && even < odd / 20) return 'utf-16le'
  return even > many && odd < even / 20 ? 'utf-16be' : undefined
}

/** Whether bytes are UTF-8. A few broken ones are allowed: a file may be truncated or damaged. */
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
      const whole = length > 0 && hasContinuationBytes(bytes, at, length)
      if (!whole) bad += 1
      else if (length > 1) good += 1
      at += whole ? length : 1
    }
    return good > 20 * bad
  }
}

function hasContinuationBytes(bytes: Uint8Array, at: number, length: number): boolean {
  for (let next = 1; next < length; next += 1) if (((bytes[at + next] ?? 0) & 0xc0) !== 0x80) return false
  return true
}

/** Log likelihood of a byte that does not occur in the encoding: low but finite, as files may be damaged. */
const invalidByte = -14

/** Log likelihood added for two letters that seldom follow each other. */
const unusualPair = Math.log(0.05)

interface ScoredEncoding {
  readonly encoding: Encoding
  readonly languages: RegExp
  readonly score: number
}

/** Returns the log likelihood of the bytes beyond ASCII in each encoding; `windows-1252` represents all Latin code pages. */
function scoreEncodings(bytes: Uint8Array): ScoredEncoding[] {
  return [
    ...doubleByteModels.map(([encoding, languages, pairs, singles]) => ({
      ...{ encoding, languages },
      score: scorePairs(bytes, pairTable(pairs), singleTable(singles)),
    })),
    ...singleByteModels.map(([encoding, languages, singles]) => ({
      ...{ encoding, languages },
      score: scoreLetters(bytes, singleTable(singles), mixesAlphabets),
    })),
    {
      ...{ encoding: 'windows-1252', languages: /^(?!zh|ja|ko|ru|uk|bg|sr|be|mk|el|he|yi|ar|fa|ur)/ },
      score: scoreLetters(
        bytes,
        singleTable(latinLetterShares),
        (byte, before) => byte >= 0x80 && before >= 0x80,
      ),
    },
  ]
}

const rangeSize = ([from, to]: ByteValueRange) => to - from + 1

/** Tables by the shares that they are filled from: all are needed for each file, and filling them takes most of the time. */
const filledTables = new WeakMap<PairShares | ByteShares, Float32Array>()

/** Log likelihood by lead byte * 256 + trail byte; 0 for pairs that the encoding does not have. */
function pairTable(pairs: PairShares): Float32Array {
  const filled = filledTables.get(pairs)
  if (filled) return filled
  const table = new Float32Array(65_536)
  filledTables.set(pairs, table)
  for (const [lead, trail, share] of pairs.toReversed()) {
    const each = Math.log(share / (rangeSize(lead) * rangeSize(trail)))
    for (let one = lead[0]; one <= lead[1]; one += 1)
      table.fill(each, (one << 8) + trail[0], (one << 8) + trail[1] + 1)
  }
  return table
}

/** Log likelihood by byte; 0 for bytes that the encoding does not have. */
function singleTable(singles: ByteShares): Float32Array {
  const filled = filledTables.get(singles)
  if (filled) return filled
  const table = new Float32Array(256)
  filledTables.set(singles, table)
  for (const [range, share] of singles.toReversed())
    table.fill(Math.log(share / rangeSize(range)), range[0], range[1] + 1)
  return table
}

function scorePairs(bytes: Uint8Array, pairs: Float32Array, singles: Float32Array): number {
  let score = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte < 0x80) continue
    const pair = pairs[(byte << 8) + (bytes[at + 1] ?? 0)] ?? 0
    score += pair || singles[byte] || invalidByte
    if (pair !== 0) at += 1
  }
  return score
}

function scoreLetters(
  bytes: Uint8Array,
  letters: Float32Array,
  isUnusual: (byte: number, before: number) => boolean,
): number {
  let score = 0
  let before = 0
  for (const byte of bytes) {
    if (byte >= 0x80) score += letters[byte] || invalidByte
    if (isUnusual(byte, before)) score += unusualPair
    before = byte
  }
  return score
}

/** Whether an ASCII letter and a letter of another alphabet are adjacent, or a capital follows a small letter. */
function mixesAlphabets(byte: number, before: number): boolean {
  if (byte >= 0x80 && before >= 0x80) return before >= 0xe0 && byte >= 0xc0 && byte < 0xdc
  return byte >= 0x80 ? isAsciiLetter(before) : before >= 0x80 && isAsciiLetter(byte)
}

const isAsciiLetter = (byte: number) => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a

/** Returns the page of Latin letters: that of the named language, else the one whose usual letters fit best. */
function detectLatinPage(sample: Uint8Array, language: string): Encoding {
  const named = latinPages.find(({ languages }) => languages.test(language))
  if (named) return named.encoding
  if (hasVietnameseTones(sample)) return 'windows-1258'
  const scored = latinPages.map((page) => ({ encoding: page.encoding, score: scoreLatinPage(sample, page) }))
  return scored.reduce((one, other) => (other.score > one.score ? other : one)).encoding
}

/** Share of an alphabet among the bytes beyond ASCII of its text. */
const alphabetShare = 0.97

/** Log likelihood of the bytes beyond ASCII on a page, by the alphabet that fits best. */
function scoreLatinPage(sample: Uint8Array, { alphabets }: LatinPage): number {
  const bytes = sample.filter((byte) => byte >= 0x80)
  const scores = alphabets.map((alphabet) => {
    const own = Math.log(alphabetShare / alphabet.length)
    const other = Math.log((1 - alphabetShare) / (128 - alphabet.length))
    return bytes.reduce((sum, byte) => sum + (alphabet.includes(byte) ? own : other), 0)
  })
  return Math.max(...scores)
}

/** Whether tone marks follow vowels, which only windows-1258 writes as characters of their own. */
function hasVietnameseTones(sample: Uint8Array): boolean {
  const text = Buffer.from(sample).toString('latin1')
  const letters = text.match(/[\x80-\xff]/g)?.length ?? 0
  const tones = text.match(/[aeiouyâêôãõý][\xcc\xd2\xde\xec\xf2]/gi)?.length ?? 0
  return tones > 2 && tones > letters / 5
}
