/** Little-endian 32-bit numbers, written as lines of base64. */
export function decodeFloats(lines: readonly string[]): Float32Array {
  const bytes = Uint8Array.from(atob(lines.join('')), (letter) => letter.codePointAt(0) ?? 0)
  const view = new DataView(bytes.buffer)
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => view.getFloat32(4 * at, true))
}
