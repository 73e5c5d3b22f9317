/** Offset of the colour space in a profile, bytes. */
const colourSpaceOffset = 16

/** Returns whether the profile at an offset describes RGB colours. */
export function isRgbProfile(bytes: Uint8Array, profile: number): boolean {
  return textAt(bytes, profile + colourSpaceOffset, 4) === 'RGB '
}

/** Returns the text at an offset, one byte per character. */
export function textAt(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length))
}
