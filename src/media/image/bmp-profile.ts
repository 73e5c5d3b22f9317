import { textAt } from './icc.ts'
import type { ImageProfile } from './profile.ts'

/** Where the second head says of which version it is, by its length, and what colours are meant; bytes. */
const headerLength = { at: 14, ofVersion5: 124 }
const colourSpaceField = 14 + 56

/** A profile in the file or named by it, as little-endian letters: "MBED" and "LINK". */
const profileSpaces = ['DEBM', 'KNIL']

/** Whether version 5 of the head names a profile; it is not put into other images. */
export function findInBmp(bytes: Uint8Array): ImageProfile | undefined {
  if (
    bytes[headerLength.at] !== headerLength.ofVersion5 ||
    !profileSpaces.includes(textAt(bytes, colourSpaceField, 4))
  )
    return undefined
  return { bytes: undefined, isRgb: true }
}
