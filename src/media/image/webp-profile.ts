import { isRgbProfile, textAt } from './icc.ts'
import type { ImageProfile } from './profile.ts'

/** RIFF, the length and WEBP. */
const riffHeaderBytes = 12

/** Flags of the VP8X chunk, which lists the features of a file with several chunks. */
const vp8xFlags = { profile: 0x20, alpha: 0x10 }

interface WebpChunk {
  readonly name: string
  readonly from: number
  readonly to: number
  /** Whether the chunk is complete. */
  readonly isWhole: boolean
}

/** Finds the ICCP chunk, which precedes the picture. */
export function findInWebp(bytes: Uint8Array): ImageProfile | undefined {
  for (const { name, from, to, isWhole } of webpChunks(bytes)) {
    if (name === 'ICCP')
      return { bytes: isWhole ? bytes.slice(from, to) : undefined, isRgb: isRgbProfile(bytes, from + 8) }
  }
  return undefined
}

/** Inserts an ICCP chunk after VP8X, which is created if missing. Returns undefined for an invalid file. */
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

/** Creates a VP8X chunk with the size of the picture. */
function createVp8x(image: Uint8Array, { name, from }: WebpChunk): Uint8Array | undefined {
  const view = new DataView(image.buffer, image.byteOffset, image.length)
  const data = from + 8
  if (data + 10 > image.length) return undefined
  const chunk = new Uint8Array(18)
  const into = new DataView(chunk.buffer)
  chunk.set([...'VP8X'].map((letter) => letter.charCodeAt(0)))
  into.setUint32(4, 10, true)
  if (name === 'VP8 ') {
    // Three bytes of frame tag and three of start code, then 14 bits per side.
    setVp8xSize(
      into,
      (view.getUint16(data + 6, true) & 0x3fff) - 1,
      (view.getUint16(data + 8, true) & 0x3fff) - 1,
    )
  } else if (name === 'VP8L') {
    // One byte, then 14 bits per side minus one, then the alpha flag.
    const bits = view.getUint32(data + 1, true)
    chunk[8] = (bits >>> 28) & 1 ? vp8xFlags.alpha : 0
    setVp8xSize(into, bits & 0x3fff, (bits >>> 14) & 0x3fff)
  } else return undefined
  return chunk
}

/** Sets the size: 24 bits per side minus one. The bytes after each value are written later or stay 0. */
function setVp8xSize(into: DataView, width: number, height: number): void {
  into.setUint16(12, width, true)
  into.setUint16(15, height, true)
}

function* webpChunks(bytes: Uint8Array): Generator<WebpChunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = riffHeaderBytes; at + 8 <= bytes.length;) {
    const length = view.getUint32(at + 4, true)
    // Chunks of odd length are padded by one byte.
    const to = at + 8 + length + (length % 2)
    const name = textAt(bytes, at, 4)
    yield { name, from: at, to: Math.min(to, bytes.length), isWhole: to <= bytes.length }
    at = to
  }
}
