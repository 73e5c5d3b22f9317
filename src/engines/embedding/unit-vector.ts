/** Numbers in each vector (contract 3, 4.2). */
export const vectorLength = 1024

/**
 * Scales a vector to length 1. A shorter one is filled with zeros, which changes no cosine; of a longer one, which only
 * Matryoshka models may return, the first 1024 numbers are used. Returns undefined if these are all zero or not finite.
 */
export function unitVector(values: ArrayLike<number>): Float32Array | undefined {
  const count = Math.min(values.length, vectorLength)
  let largest = 0
  for (let at = 0; at < count; at += 1) {
    const size = Math.abs(values[at] ?? 0)
    if (!Number.isFinite(size)) return undefined
    largest = Math.max(largest, size)
  }
  if (largest === 0) return undefined
  // Relative to the largest number, squares neither overflow nor vanish.
  let squares = 0
  for (let at = 0; at < count; at += 1) squares += ((values[at] ?? 0) / largest) ** 2
  const length = Math.sqrt(squares)
  const unit = new Float32Array(vectorLength)
  for (let at = 0; at < count; at += 1) unit[at] = (values[at] ?? 0) / largest / length
  return unit
}
