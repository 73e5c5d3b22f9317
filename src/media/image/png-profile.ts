import { textAt } from './icc.ts'
import type { ImageProfile } from './profile.ts'

const signatureBytes = 8

/** PNG colour types with RGB colours: true colour, palette, true colour with alpha. */
const rgbColourTypes = [2, 3, 6]

/** Finds the iCCP chunk, which precedes the picture. */
export function findInPng(bytes: Uint8Array): ImageProfile | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  // A chunk consists of length, name, data and checksum. The first chunk is IHDR.
  for (let at = signatureBytes; at + 12 <= bytes.length;) {
    const end = at + 12 + view.getUint32(at)
    const name = textAt(bytes, at + 4, 4)
    if (name === 'iCCP') {
      const isRgb = rgbColourTypes.includes(bytes[25] ?? 0)
      return { bytes: end > bytes.length ? undefined : bytes.slice(at, end), isRgb }
    }
    if (name === 'IDAT') return undefined
    at = end
  }
  return undefined
}

/** Inserts an iCCP chunk after IHDR. */
export function putIntoPng(image: Uint8Array, profile: Uint8Array): readonly Uint8Array[] {
  const header = signatureBytes + 25
  return [image.subarray(0, header), profile, image.subarray(header)]
}
