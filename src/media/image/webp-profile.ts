import { isRgbProfile, textAt } from './icc.ts'
import type { ImageProfile } from './profile.ts'

/** RIFF, the length, WEBP. */
const riffHeaderBytes = 12

/** Flags of the chunk VP8X, which says what is in a file of several chunks. */
const vp8xFlags = { profile: 0x20, alpha: 0x10 }

interface WebpChunk {
  readonly name: string
  readonly from: number
  readonly to: number
  /** Whether all of it is there. */
  readonly isWhole: boolean
}

/** The chunk ICCP, which comes before the picture. */
export function findInWebp(bytes: Uint8Array): ImageProfile | undefined {
  for (const { name, from, to, isWhole } of webpChunks(bytes)) {
    if (name === 'ICCP')
      return { bytes: isWhole ? bytes.slice(from, to) : undefined, isRgb: isRgbProfile(bytes, from + 8) }
  }
  return undefined
}

/** Puts such a chunk after VP8X, which is made where there is none; undefined for what is no such file. */
export function putIntoWebp(image: Uint8Array, profile: Uint8Array): readonly Uint8Array[] | undefined {
  const [first] = webpChunks(image)
  if (!first) return undefined
  const isExtended = first.name === 'VP8X'
  const extended = isExtended ? image.slice(first.from, first.to) : createVp8x(image, first)
  if (!extended) return undefined
  extended[8] = (extended[8] ?? 0) | vp8xFlags.profile
  const rest = image.subarray(isExtended ? first.to : riffHeaderBytes)
  const start = image.slice(0, riffHeaderBytes)
  const length = riffHeaderBytes - 8 + extended.length + profile.length + rest.length
  new DataView(start.buffer).setUint32(4, length, true)
  return [start, extended, profile, rest]
}

/** A chunk VP8X by the size that the picture tells. */
function createVp8x(image: Uint8Array, { name, from }: WebpChunk): Uint8Array | undefined {
  const view = new DataView(image.buffer, image.byteOffset, image.length)
  const data = from + 8
  if (data + 10 > image.length) return undefined
  const chunk = new Uint8Array(18)
  const into = new DataView(chunk.buffer)
  chunk.set([...'VP8X'].map((letter) => letter.charCodeAt(0)))
  into.setUint32(4, 10, true)
  if (name === 'VP8 ') {
    // A frame tag and a start code of three bytes each, then 14 bits each way.
    setVp8xSize(
      into,
      (view.getUint16(data + 6, true) & 0x3fff) - 1,
      (view.getUint16(data + 8, true) & 0x3fff) - 1,
    )
  } else if (name === 'VP8L') {
    // A byte, then 14 bits each way, one less than the side, and whether there is transparency.
    const bits = view.getUint32(data + 1, true)
    chunk[8] = (bits >>> 28) & 1 ? vp8xFlags.alpha : 0
    setVp8xSize(into, bits & 0x3fff, (bits >>> 14) & 0x3fff)
  } else return undefined
  return chunk
}

/** In 24 bits each, one less than the side; the bytes after them are written later or stay 0. */
function setVp8xSize(into: DataView, width: number, height: number): void {
  into.setUint16(12, width, true)
  into.setUint16(15, height, true)
}

function* webpChunks(bytes: Uint8Array): Generator<WebpChunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = riffHeaderBytes; at + 8 <= bytes.length;) {
    const length = view.getUint32(at + 4, true)
    // Of an odd length one byte is added.
    const to = at + 8 + length + (length % 2)
    const name = textAt(bytes, at, 4)
    yield { name, from: at, to: Math.min(to, bytes.length), isWhole: to <= bytes.length }
    at = to
  }
}
