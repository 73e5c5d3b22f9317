import { ringCells, type Cells } from './cells.ts'
import { pointsOf, type Points } from './points.ts'
import { reduced } from './pyramid.ts'
import { LruCache } from '../lru-cache.ts'
import type { Crop } from './view.ts'

/** What is seen around a patch on its own frame: samples, and of which cell each is. */
export interface Ring {
  readonly cells: Cells
  readonly count: number
  readonly x: Float32Array
  readonly y: Float32Array
  readonly cell: Uint16Array
  readonly value: Float32Array
  /** How brightness rises. */
  readonly right: Float32Array
  readonly down: Float32Array
  /** Colour, of the sample that covers the pixel. */
  readonly blue: Uint8Array
  readonly red: Uint8Array
  /** Its places with detail. */
  readonly points: Points
}

/** A cell's side in the small pictures that motion is first looked for in. */
const coarseCell = 4

/** What is seen around a patch, at full size and small. */
export function ringsOf(
  crop: Crop,
  cells: Cells,
): { readonly fine: Ring; readonly coarse: () => Ring; readonly crop: Crop } {
  let small: Ring | undefined
  const coarse = () =>
    (small ??= ringOf(smallOf(crop, cells.size / coarseCell), { ...cells, size: coarseCell }))
  return { fine: ringOf(crop, cells), coarse, crop }
}

/** Of views that are laid on patches again and again: as many as are chosen of both sides. */
const smaller = new LruCache<Crop, Crop>(16)

/** A crop so many times smaller, the same of all of a video; any hidden pixel hides the one that it is part of. */
export function smallOf(crop: Crop, factor: number): Crop {
  return smaller.getOrCompute(crop, () => reducedCrop(crop, factor))
}

function reducedCrop(crop: Crop, factor: number): Crop {
  const [width, height] = [Math.floor(crop.width / factor), Math.floor(crop.height / factor)]
  const hidden = new Uint8Array(width * height)
  for (let at = crop.hidden.indexOf(1); at >= 0; at = crop.hidden.indexOf(1, at + 1)) {
    const [x, y] = [Math.floor((at % crop.width) / factor), Math.floor(Math.floor(at / crop.width) / factor)]
    if (x < width && y < height) hidden[y * width + x] = 1
  }
  const none = new Uint8Array(0)
  const place = { x: crop.x / factor, y: crop.y / factor }
  return { ...place, width, height, data: reduced(crop.data, crop, factor), blue: none, red: none, hidden }
}

/** Takes samples of a crop of the cells' own rectangle, some sixteen of each cell: more find nothing better. */
function ringOf(crop: Crop, cells: Cells): Ring {
  const { data, hidden, width, height, x: left, y: top } = crop
  const { size, columns, away } = cells
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
    right,
    down,
    blue,
    red,
    points: pointsOf(crop, size >> 1, isNear),
  }
}
