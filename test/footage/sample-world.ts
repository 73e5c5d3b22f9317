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

/** Values of `sampleAt` at all positions of a grid, row by row. Interpolates each row of the plane once. */
export function sampleGrid(
  plane: Float32Array,
  width: number,
  { x: xs, y: ys }: { readonly x: Float64Array; readonly y: Float64Array },
): Float64Array {
  const values = new Float64Array(xs.length * ys.length)
  const rows = [0, 1, 2, 3].map(() => ({ row: Number.NaN, values: new Float64Array(xs.length) }))
  const interpolated = (row: number): Float64Array => {
    const kept = rows[row & 3]
    if (!kept) throw new Error(`no row ${row}`)
    if (kept.row !== row) interpolateRow(plane, row * width, xs, kept.values)
    kept.row = row
    return kept.values
  }
  for (let line = 0, at = 0; line < ys.length; line += 1) {
    const y = ys[line] ?? 0
    const row = Math.floor(y)
    const v = Math.round((y - row) * steps) << 2
    const [k, l, m, n] = [cubic[v] ?? 0, cubic[v + 1] ?? 0, cubic[v + 2] ?? 0, cubic[v + 3] ?? 0]
    const above = interpolated(row - 1)
    const upper = interpolated(row)
    const lower = interpolated(row + 1)
    const below = interpolated(row + 2)
    for (let column = 0; column < xs.length; column += 1, at += 1) {
      const x = xs[column] ?? 0
      values[at] =
        v === 0 && isOnPixel(x)
          ? (plane[row * width + Math.floor(x)] ?? Number.NaN)
          : (above[column] ?? 0) * k +
            (upper[column] ?? 0) * l +
            (lower[column] ?? 0) * m +
            (below[column] ?? 0) * n
    }
  }
  return values
}

/** Whether a position is interpolated from one pixel alone, without its neighbours, which may be outside. */
function isOnPixel(x: number): boolean {
  return Math.round((x - Math.floor(x)) * steps) === 0
}

/** Interpolates a row, whose pixels begin at `from`, at positions along it. */
function interpolateRow(plane: Float32Array, from: number, xs: Float64Array, values: Float64Array): void {
  for (let index = 0; index < xs.length; index += 1) {
    const x = xs[index] ?? 0
    const column = Math.floor(x)
    const u = Math.round((x - column) * steps) << 2
    const at = from + column - 1
    values[index] =
      (cubic[u] ?? 0) * (plane[at] ?? Number.NaN) +
      (cubic[u + 1] ?? 0) * (plane[at + 1] ?? Number.NaN) +
      (cubic[u + 2] ?? 0) * (plane[at + 2] ?? Number.NaN) +
      (cubic[u + 3] ?? 0) * (plane[at + 3] ?? Number.NaN)
  }
}
