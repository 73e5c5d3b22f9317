/** Luma of a part of an image: position of its corner, samples in rows, and a mask of hidden pixels. */
export interface GreyImage {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
  /** 1 where a pixel is hidden, else 0. */
  readonly hidden: Uint8Array
}

/** Feature points: coordinates in pixels, luma (0 to 255), and gradient in levels per pixel. */
export interface FeaturePoints {
  readonly count: number
  readonly x: Float32Array
  readonly y: Float32Array
  readonly value: Float32Array
  readonly gradientX: Float32Array
  readonly gradientY: Float32Array
}

/**
 * Returns the point with the largest gradient in each square of `cell` pixels, at most 2,500 in all. Skips squares
 * whose gradient is below noise (6 levels over two pixels), and points at or beside hidden pixels.
 */
export function detectFeaturePoints(
  picture: GreyImage,
  cell: number,
  isWanted: (x: number, y: number) => boolean = () => true,
): FeaturePoints {
  const { x: left, y: top, width, height, data, hidden } = picture
  const found: number[] = []
  for (let y = 1; y + 1 < height; y += cell) {
    for (let x = 1; x + 1 < width; x += cell) {
      if (!isWanted(x, y)) continue
      let [best, place] = [36, -1]
      for (let row = y; row < Math.min(y + cell, height - 1); row += 1) {
        for (let at = row * width + x, end = row * width + Math.min(x + cell, width - 1); at < end; at += 1) {
          const along = (data[at + 1] ?? 0) - (data[at - 1] ?? 0)
          const down = (data[at + width] ?? 0) - (data[at - width] ?? 0)
          const change = along * along + down * down
          if (change <= best) continue
          if ((hidden[at - width - 1] ?? 1) + (hidden[at + width + 1] ?? 1) + (hidden[at] ?? 1) > 0) continue
          best = change
          place = at
        }
      }
      if (place >= 0) found.push(place)
    }
  }
  const every = Math.ceil(found.length / 2500)
  const kept = every > 1 ? found.filter((_, index) => index % every === 0) : found
  return {
    count: kept.length,
    x: Float32Array.from(kept, (at) => left + (at % width)),
    y: Float32Array.from(kept, (at) => top + Math.floor(at / width)),
    value: Float32Array.from(kept, (at) => data[at] ?? 0),
    gradientX: Float32Array.from(kept, (at) => ((data[at + 1] ?? 0) - (data[at - 1] ?? 0)) / 2),
    gradientY: Float32Array.from(kept, (at) => ((data[at + width] ?? 0) - (data[at - width] ?? 0)) / 2),
  }
}

/** Images of successively half the size, largest first. */
export type ImagePyramid = readonly GreyImage[]

/** Returns the mean of each square of `factor` pixels, in rows. Factors above 2 sample every other line. */
export function downsample(
  data: Uint8Array,
  { width, height }: { readonly width: number; readonly height: number },
  factor: number,
): Uint8Array {
  const [columns, rows] = [Math.floor(width / factor), Math.floor(height / factor)]
  const small = new Uint8Array(columns * rows)
  // Every other line suffices for large squares.
  const step = factor > 2 ? 2 : 1
  const count = factor * Math.ceil(factor / step)
  const half = count >> 1
  for (let y = 0; y < rows; y += 1) {
    for (let x = 0; x < columns; x += 1) {
      let sum = half
      let at = y * factor * width + x * factor
      for (let row = 0; row < factor; row += step, at += step * width) {
        for (let column = 0; column < factor; column += 1) sum += data[at + column] ?? 0
      }
      small[y * columns + x] = sum / count
    }
  }
  return small
}

/** Builds a pyramid with one level per mask. A pixel is hidden if any pixel it covers is hidden. */
export function buildPyramid(
  data: Uint8Array,
  size: { width: number; height: number },
  masks: readonly Uint8Array[],
): ImagePyramid {
  let { width, height } = size
  let plane = data
  return masks.map((hidden, level) => {
    if (level > 0) {
      plane = downsample(plane, { width, height }, 2)
      width >>= 1
      height >>= 1
    }
    return { x: 0, y: 0, width, height, data: plane, hidden }
  })
}

/** Subpixel resolution of precomputed weights. */
const subpixelSteps = 64

/** Catmull-Rom weights of four samples, per subpixel position between the middle two. */
const cubicWeights = Float32Array.from({ length: (subpixelSteps + 1) * 4 }, (_, index) => {
  const t = (index >> 2) / subpixelSteps
  const of = [
    t * (-0.5 + t * (1 - 0.5 * t)),
    1 + t * t * (-2.5 + 1.5 * t),
    t * (0.5 + t * (2 - 1.5 * t)),
    t * t * (-0.5 + 0.5 * t),
  ]
  return of[index & 3] ?? 0
})

/** Samples in rows. */
interface SamplePlane {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

/**
 * Samples an image at a fractional position by bicubic (Catmull-Rom) interpolation; bilinear near the edges. Positions
 * outside are clamped.
 */
export function sampleBicubic({ data, width, height }: SamplePlane, x: number, y: number): number {
  const column = Math.floor(x)
  const row = Math.floor(y)
  const u = (((x - column) * subpixelSteps + 0.5) << 2) & ~3
  const v = (((y - row) * subpixelSteps + 0.5) << 2) & ~3
  if (column < 1 || row < 1 || column > width - 3 || row > height - 3)
    return sampleAtEdge({ data, width, height }, x, y)
  let at = (row - 1) * width + column - 1
  if (u === 0 && v === 0) return data[at + width + 1] ?? 0
  const [k, l, m, n] = [
    cubicWeights[u] ?? 0,
    cubicWeights[u + 1] ?? 0,
    cubicWeights[u + 2] ?? 0,
    cubicWeights[u + 3] ?? 0,
  ]
  let sum = 0
  for (let line = 0; line < 4; line += 1, at += width) {
    const along =
      k * (data[at] ?? 0) + l * (data[at + 1] ?? 0) + m * (data[at + 2] ?? 0) + n * (data[at + 3] ?? 0)
    sum += (cubicWeights[v + line] ?? 0) * along
  }
  return sum
}

function sampleAtEdge({ data, width, height }: SamplePlane, x: number, y: number): number {
  const [across, down] = [Math.min(width - 1, Math.max(0, x)), Math.min(height - 1, Math.max(0, y))]
  const [column, row] = [Math.min(width - 2, Math.floor(across)), Math.min(height - 2, Math.floor(down))]
  const [u, v] = [across - column, down - row]
  const at = row * width + column
  const above = (data[at] ?? 0) * (1 - u) + (data[at + 1] ?? 0) * u
  const below = (data[at + width] ?? 0) * (1 - u) + (data[at + width + 1] ?? 0) * u
  return above + (below - above) * v
}
