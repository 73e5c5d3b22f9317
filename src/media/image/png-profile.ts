import { textAt } from './icc.ts'
import type { FoundProfile } from './profile.ts'

const signature = 8

/** Colour types of a PNG that are of red, green and blue: true colour, a palette, true colour with alpha. */
const colourful = [2, 3, 6]

/** The chunk iCCP, which comes before the picture. */
export function findInPng(bytes: Uint8Array): FoundProfile | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  // Length, name, data, checksum; the first is IHDR.
  for (let at = signature; at + 12 <= bytes.length;) {
    const end = at + 12 + view.getUint32(at)
    const name = textAt(bytes, at + 4, 4)
    if (name === 'iCCP') {
      const isRgb = colourful.includes(bytes[25] ?? 0)
      return { bytes: end > bytes.length ? undefined : bytes.slice(at, end), isRgb }
    }
    if (name === 'IDAT') return undefined
    at = end
  }
  return undefined
}

/** Puts such a chunk after IHDR. */
export function putIntoPng(image: Uint8Array, profile: Uint8Array): readonly Uint8Array[] {
  const header = signature + 25
  return [image.subarray(0, header), profile, image.subarray(header)]
}
