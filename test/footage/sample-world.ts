/** Positions between two pixels with precomputed weights. The error is about 0.01 levels. */
const steps = 256

/** Catmull-Rom weights of four pixels. They keep the contrast of detail at any position. */
const cubic = Float64Array.from({ length: (steps + 1) * 4 }, (_, index) => {
  const t = (index >> 2) / steps
  const all = [
    -t + 2 * t ** 2 - t ** 3,
    2 - 5 * t ** 2 + 3 * t ** 3,
    t + 4 * t ** 2 - 3 * t ** 3,
    t ** 3 - t ** 2,
  ]
  return (all[index & 3] ?? 0) / 2
})

/** Interpolated value of a plane at a position in pixels. NaN outside, which a frame shows as black. */
export function sampleAt(plane: Float32Array, width: number, x: number, y: number): number {
  const column = Math.floor(x)
  const row = Math.floor(y)
  const u = Math.round((x - column) * steps) << 2
  const v = Math.round((y - row) * steps) << 2
  let at = (row - 1) * width + column - 1
  if (u === 0 && v === 0) return plane[at + width + 1] ?? Number.NaN
  const k = cubic[u] ?? 0
  const l = cubic[u + 1] ?? 0
  const m = cubic[u + 2] ?? 0
  const n = cubic[u + 3] ?? 0
  let sum = 0
  for (let line = 0; line < 4; line += 1, at += width) {
    const along =
      k * (plane[at] ?? Number.NaN) +
      l * (plane[at + 1] ?? Number.NaN) +
      m * (plane[at + 2] ?? Number.NaN) +
      n * (plane[at + 3] ?? Number.NaN)
    sum += along * (cubic[v + line] ?? 0)
  }
  return sum
}
