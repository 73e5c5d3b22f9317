/** Pixels as numbers, red in the lowest bits: all machines that the drawing library is built for put it there. */
export function pixelWords({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4)
}
