/**
 * Returns RGBA bytes as 32-bit integers with red in the lowest bits. Every platform of the drawing library is
 * little-endian.
 */
export function pixelWords({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4)
}
