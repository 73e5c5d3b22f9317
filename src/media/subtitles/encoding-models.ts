import {
  alphabets,
  doubleByte,
  latin,
  type Encoding,
  type Pairs,
  type Range,
  type Singles,
} from './encoding-tables.ts'

/** How likely bytes are to be text of an encoding. */
export interface Model {
  readonly encoding: Encoding
  /** Languages written in it, as regular text of their codes: `zh-CN`. */
  readonly languages: RegExp
  /** Logarithm of the likelihood of bytes beyond ASCII. */
  score(bytes: Uint8Array): number
}

/** A byte that no text of the encoding holds: unlikely, but a damaged file may. */
const broken = -14

/** How much less likely letters are that seldom follow each other. */
const unusual = Math.log(0.05)

const size = ([from, to]: Range) => to - from + 1

function pairTable(pairs: Pairs): Float32Array {
  const table = new Float32Array(65_536)
  for (const [lead, trail, share] of pairs.toReversed()) {
    const each = Math.log(share / (size(lead) * size(trail)))
    for (let one = lead[0]; one <= lead[1]; one += 1)
      table.fill(each, (one << 8) + trail[0], (one << 8) + trail[1] + 1)
  }
  return table
}

function singleTable(singles: Singles): Float32Array {
  const table = new Float32Array(256)
  for (const [range, share] of singles.toReversed())
    table.fill(Math.log(share / size(range)), range[0], range[1] + 1)
  return table
}

/** Models of all encodings but those of Unicode; `windows-1252` stands for all of Latin letters. */
export function models(): Model[] {
  return [
    ...doubleByte.map(([encoding, languages, pairs, singles]) => ({
      ...{ encoding, languages },
      score: (bytes: Uint8Array) => scorePairs(bytes, pairTable(pairs), singleTable(singles)),
    })),
    ...alphabets.map(([encoding, languages, singles]) => ({
      ...{ encoding, languages },
      score: (bytes: Uint8Array) => scoreLetters(bytes, singleTable(singles), mixesWords),
    })),
    {
      ...{ encoding: 'windows-1252', languages: /^(?!zh|ja|ko|ru|uk|bg|sr|be|mk|el|he|yi|ar|fa|ur)/ },
      score: (bytes) =>
        scoreLetters(bytes, singleTable(latin), (byte, before) => byte >= 0x80 && before >= 0x80),
    },
  ]
}

/** Whether a plain letter and one of another alphabet stand together, or a capital follows a small letter. */
function mixesWords(byte: number, before: number): boolean {
  if (byte >= 0x80 && before >= 0x80) return before >= 0xe0 && byte >= 0xc0 && byte < 0xdc
  return byte >= 0x80 ? isPlain(before) : before >= 0x80 && isPlain(byte)
}

const isPlain = (byte: number) => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a

function scorePairs(bytes: Uint8Array, pairs: Float32Array, singles: Float32Array): number {
  let score = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte < 0x80) continue
    const pair = pairs[(byte << 8) + (bytes[at + 1] ?? 0)] ?? 0
    score += pair || singles[byte] || broken
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
    if (byte >= 0x80) score += letters[byte] || broken
    if (isUnusual(byte, before)) score += unusual
    before = byte
  }
  return score
}
