import { LruCache } from '../lru-cache.ts'
import type { AffineMap } from './affine.ts'
import { type CellGrid, ringCells } from './cell-grid.ts'
import { detectFeaturePoints, downsample, type FeaturePoints } from './grey-image.ts'
import type { FrameCrop } from './view.ts'

/** What is seen around a patch on its own frame: samples, and of which cell each is. */
export interface Ring {
  readonly cells: CellGrid
  readonly count: number
  readonly x: Float32Array
  readonly y: Float32Array
  readonly cell: Uint16Array
  readonly value: Float32Array
  /** How brightness rises. */
  readonly gradientX: Float32Array
  readonly gradientY: Float32Array
  /** Colour, of the sample that covers the pixel. */
  readonly blue: Uint8Array
  readonly red: Uint8Array
  /** Its places with detail. */
  readonly points: FeaturePoints
}

/** A cell's side in the small pictures that motion is first looked for in. */
const coarseCellSize = 4

/** What is seen around a patch, at full size and small. */
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

/** Of views that are laid on patches again and again: as many as are chosen of both sides. */
const smallCrops = new LruCache<FrameCrop, FrameCrop>(16)

/** A crop so many times smaller, the same of all of a video; any hidden pixel hides the one that it is part of. */
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

/** Takes samples of a crop of the cells' own rectangle, some sixteen of each cell: more find nothing better. */
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

/** Deviation of a view's brightness, in levels, from which on it tells how bright a frame is. */
const minContrast = 4

/**
 * How a view's brightness goes with the ring's, found over all that is seen of both, the ring's as what follows: so
 * that black, on which nothing can be laid, is known as black. Undefined where the view has no contrast.
 */
export function fitBrightness(
  ring: Ring,
  { x: left, y: top, width, height, data, hidden }: FrameCrop,
  [a, b, c, d, e, f]: AffineMap,
): { readonly gain: number; readonly offset: number } | undefined {
  let [count, there, here, squares, products] = [0, 0, 0, 0, 0]
  for (let index = 0; index < ring.count; index += 1) {
    const [px, py] = [ring.x[index] ?? 0, ring.y[index] ?? 0]
    const x = Math.round(a * px + b * py + c - left)
    const y = Math.round(d * px + e * py + f - top)
    if (!(x >= 0 && y >= 0 && x < width && y < height) || hidden[y * width + x] !== 0) continue
    const [value, own] = [data[y * width + x] ?? 0, ring.value[index] ?? 0]
    count += 1
    there += value
    here += own
    squares += value * value
    products += value * own
  }
  const spreadOf = squares / count - (there / count) ** 2
  if (count < 50 || spreadOf < minContrast ** 2) return undefined
  const share = Math.min(4, Math.max(0.02, (products / count - (there / count) * (here / count)) / spreadOf))
  return { gain: 1 / share, offset: there / count - here / count / share }
}
