/** Steps between two pixels that weights are worked out for. */
const steps = 64

/** Catmull and Rom's weights of four pixels for each step between the middle two. */
const cubic = Float32Array.from({ length: (steps + 1) * 4 }, (_, index) => {
  const t = (index >> 2) / steps
  const of = [
    t * (-0.5 + t * (1 - 0.5 * t)),
    1 + t * t * (-2.5 + 1.5 * t),
    t * (0.5 + t * (2 - 1.5 * t)),
    t * t * (-0.5 + 0.5 * t),
  ]
  return of[index & 3] ?? 0
})

/** Samples of a picture in rows. */
export interface Plane {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

/** Between sixteen samples; beyond the outermost ones those go on. */
export function sample({ data, width, height }: Plane, x: number, y: number): number {
  const column = Math.floor(x)
  const row = Math.floor(y)
  const u = (((x - column) * steps + 0.5) << 2) & ~3
  const v = (((y - row) * steps + 0.5) << 2) & ~3
  if (column < 1 || row < 1 || column > width - 3 || row > height - 3)
    return atEdge({ data, width, height }, x, y)
  let at = (row - 1) * width + column - 1
  if (u === 0 && v === 0) return data[at + width + 1] ?? 0
  const [k, l, m, n] = [cubic[u] ?? 0, cubic[u + 1] ?? 0, cubic[u + 2] ?? 0, cubic[u + 3] ?? 0]
  let sum = 0
  for (let line = 0; line < 4; line += 1, at += width) {
    const along =
      k * (data[at] ?? 0) + l * (data[at + 1] ?? 0) + m * (data[at + 2] ?? 0) + n * (data[at + 3] ?? 0)
    sum += (cubic[v + line] ?? 0) * along
  }
  return sum
}

function atEdge({ data, width, height }: Plane, x: number, y: number): number {
  const [across, down] = [Math.min(width - 1, Math.max(0, x)), Math.min(height - 1, Math.max(0, y))]
  const [column, row] = [Math.min(width - 2, Math.floor(across)), Math.min(height - 2, Math.floor(down))]
  const [u, v] = [across - column, down - row]
  const at = row * width + column
  const above = (data[at] ?? 0) * (1 - u) + (data[at + 1] ?? 0) * u
  const below = (data[at + width] ?? 0) * (1 - u) + (data[at + width + 1] ?? 0) * u
  return above + (below - above) * v
}
