/** Where a profile tells the colours it is of, bytes from its start. */
const colourSpaceOffset = 16

/** Whether the profile that begins at a place is of red, green and blue. */
export function isRgbProfile(bytes: Uint8Array, profile: number): boolean {
  return textAt(bytes, profile + colourSpaceOffset, 4) === 'RGB '
}

/** The letters at a place, one byte each. */
export function textAt(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length))
}
