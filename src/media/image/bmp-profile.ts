import { textAt } from './icc.ts'
import type { ImageProfile } from './profile.ts'

/** The length field of the second header, which identifies the header's version; bytes. */
const headerLength = { at: 14, ofVersion5: 124 }
const colourSpaceField = 14 + 56

/** Tags of an embedded and of a linked profile, "MBED" and "LINK" in little-endian order. */
const profileSpaces = ['DEBM', 'KNIL']

/** Detects a profile in a version 5 header. Profiles are not copied to other BMP files. */
export function findInBmp(bytes: Uint8Array): ImageProfile | undefined {
  if (
    bytes[headerLength.at] !== headerLength.ofVersion5 ||
    !profileSpaces.includes(textAt(bytes, colourSpaceField, 4))
  )
    return undefined
  return { bytes: undefined, isRgb: true }
}
