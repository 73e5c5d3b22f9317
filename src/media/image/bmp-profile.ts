import { textAt } from './icc.ts'
import type { FoundProfile } from './profile.ts'

/** Where the second head says of which version it is, by its length, and what colours are meant; bytes. */
const length = { at: 14, ofVersion5: 124 }
const space = 14 + 56

/** A profile in the file or named by it, as little-endian letters: "MBED" and "LINK". */
const profiled = ['DEBM', 'KNIL']

/** Whether version 5 of the head names a profile; it is not put into other images. */
export function findInBmp(bytes: Uint8Array): FoundProfile | undefined {
  if (bytes[length.at] !== length.ofVersion5 || !profiled.includes(textAt(bytes, space, 4))) return undefined
  return { bytes: undefined, isRgb: true }
}
