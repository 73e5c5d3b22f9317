import { LruCache } from '../lru-cache.ts'
import type { AffineMap } from './affine.ts'
import { type CellGrid, ringCells } from './cell-grid.ts'
import { detectFeaturePoints, downsample, type FeaturePoints } from './grey-image.ts'
import type { FrameCrop } from './view.ts'

/** Samples of the visible surroundings of a patch, and the cell of each. */
export interface Ring {
  readonly cells: CellGrid
  readonly count: number
  readonly x: Float32Array
  readonly y: Float32Array
  readonly cell: Uint16Array
  readonly value: Float32Array
  /** Luma gradient, in levels per pixel. */
  readonly gradientX: Float32Array
  readonly gradientY: Float32Array
  /** Chroma of the sample that covers the pixel. */
  readonly blue: Uint8Array
  readonly red: Uint8Array
  /** Feature points of the ring. */
  readonly points: FeaturePoints
}

/** Cell size at reduced size, in pixels. */
const coarseCellSize = 4

/** Samples a patch's surroundings at full size and, on first use, at reduced size. */
export function sampleRings(
  crop: FrameCrop,
  cells: CellGrid,
): { readonly fine: Ring; readonly coarse: () => Ring; readonly crop: FrameCrop } {
  let small: Ring | undefined
  const coarse = () =>
    (small ??= sampleRing(downsampleCrop(crop, cells.size / coarseCellSize), {
      ...cells,
      size: coarseCellSize,
    }))
  return { fine: sampleRing(crop, cells), coarse, crop }
}

/** Cached for views that serve many frames: as many as are chosen for both directions. */
const smallCrops = new LruCache<FrameCrop, FrameCrop>(16)

/**
 * Returns a crop reduced by a factor; cached. A reduced pixel is hidden if any pixel it covers is hidden. It has no
 * chroma.
 */
export function downsampleCrop(crop: FrameCrop, factor: number): FrameCrop {
  return smallCrops.getOrCompute(crop, () => reduceCrop(crop, factor))
}

function reduceCrop(crop: FrameCrop, factor: number): FrameCrop {
  const [width, height] = [Math.floor(crop.width / factor), Math.floor(crop.height / factor)]
  const hidden = new Uint8Array(width * height)
  for (let at = crop.hidden.indexOf(1); at >= 0; at = crop.hidden.indexOf(1, at + 1)) {
    const [x, y] = [Math.floor((at % crop.width) / factor), Math.floor(Math.floor(at / crop.width) / factor)]
    if (x < width && y < height) hidden[y * width + x] = 1
  }
  const none = new Uint8Array(0)
  const place = { x: crop.x / factor, y: crop.y / factor }
  return { ...place, width, height, data: downsample(crop.data, crop, factor), blue: none, red: none, hidden }
}

/** Samples a crop of the grid's own rectangle, about sixteen per cell; more do not improve the match. */
function sampleRing(crop: FrameCrop, cells: CellGrid): Ring {
  const { data, hidden, width, height, x: left, y: top } = crop
  const { size, columns, ringDistance: away } = cells
  const step = Math.max(1, Math.floor(size / 4))
  const most = Math.ceil(width / step) * Math.ceil(height / step)
  const [x, y, cell] = [new Float32Array(most), new Float32Array(most), new Uint16Array(most)]
  const [value, right, down] = [new Float32Array(most), new Float32Array(most), new Float32Array(most)]
  const [blue, red] = [new Uint8Array(most), new Uint8Array(most)]
  let count = 0
  for (let line = 1; line < height - 1; line += step) {
    const row = Math.floor(line / size) * columns
    for (let column = 1; column < width - 1; column += step) {
      const of = row + Math.floor(column / size)
      const at = line * width + column
      if ((away[of] ?? 0) > ringCells || hidden[at] !== 0) continue
      x[count] = left + column
      y[count] = top + line
      cell[count] = of
      value[count] = data[at] ?? 0
      const isHeld =
        (hidden[at - 1] ?? 1) +
          (hidden[at + 1] ?? 1) +
          (hidden[at - width] ?? 1) +
          (hidden[at + width] ?? 1) >
        0
      right[count] = isHeld ? 0 : ((data[at + 1] ?? 0) - (data[at - 1] ?? 0)) / 2
      down[count] = isHeld ? 0 : ((data[at + width] ?? 0) - (data[at - width] ?? 0)) / 2
      const of4 = (line >> 1) * (width >> 1) + (column >> 1)
      blue[count] = crop.blue[of4] ?? 128
      red[count] = crop.red[of4] ?? 128
      count += 1
    }
  }
  const isNear = (column: number, line: number) =>
    (away[Math.floor(line / size) * columns + Math.floor(column / size)] ?? 0) <= ringCells
  return {
    cells,
    count,
    x,
    y,
    cell,
    value,
    gradientX: right,
    gradientY: down,
    blue,
    red,
    points: detectFeaturePoints(crop, size >> 1, isNear),
  }
}

/** Least standard deviation of a view's luma, in levels, for a brightness fit. */
const minContrast = 4

/**
 * Fits the view's luma as gain x ring + offset, by regression of the ring on the view over all samples visible in both.
 * Recognizes black frames, in which alignment finds no feature points. Undefined if the view has too little contrast or
 * fewer than 50 samples.
 */
export function fitBrightness(
  ring: Ring,
  { x: left, y: top, width, height, data, hidden }: FrameCrop,
  [a, b, c, d, e, f]: AffineMap,
): { readonly gain: number; readonly offset: number } | undefined {
  let [count, viewSum, ringSum, squares, products] = [0, 0, 0, 0, 0]
  for (let index = 0; index < ring.count; index += 1) {
    const [px, py] = [ring.x[index] ?? 0, ring.y[index] ?? 0]
    const x = Math.round(a * px + b * py + c - left)
    const y = Math.round(d * px + e * py + f - top)
    if (!(x >= 0 && y >= 0 && x < width && y < height) || hidden[y * width + x] !== 0) continue
    const [value, own] = [data[y * width + x] ?? 0, ring.value[index] ?? 0]
    count += 1
    viewSum += value
    ringSum += own
    squares += value * value
    products += value * own
  }
  const variance = squares / count - (viewSum / count) ** 2
  if (count < 50 || variance < minContrast ** 2) return undefined
  const share = Math.min(
    4,
    Math.max(0.02, (products / count - (viewSum / count) * (ringSum / count)) / variance),
  )
  return { gain: 1 / share, offset: viewSum / count - ringSum / count / share }
}
