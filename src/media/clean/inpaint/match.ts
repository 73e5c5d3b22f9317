import { enlarged } from './affine.ts'
import { align } from './align.ts'
import { brightnessOf } from './brightness.ts'
import { bend } from './bend.ts'
import { deviationOf, movesByItself, sumsOf, sumsOver, type Bent } from './differences.ts'
import { searchBlocks } from './block-search.ts'
import { bendByFlow, type FindFlow } from './flow.ts'
import type { Source } from './pick.ts'
import { smallOf, type Ring } from './ring.ts'
import { spread } from './spread.ts'
import type { Crop } from './view.ts'

/** How a view lies on the treated frame, and by cells how it differs from that. */
export interface Match extends Bent {
  /** Whether nothing moves by itself. */
  readonly isStill: boolean
  /** Levels to add to what is carried over. */
  readonly lift: Float32Array
  readonly blue: Float32Array
  readonly red: Float32Array
  /** Usual difference of what is seen of both, in levels. */
  readonly doubt: Float32Array
}

/** What is seen around a patch on its own frame, and the same smaller. */
export interface Rings {
  readonly fine: Ring
  /** Made when first needed. */
  readonly coarse: () => Ring
  /** What both are taken of. */
  readonly crop: Crop
}

/**
 * Lays a view onto the ring around a patch, from where it lay on the frame before, if that is known; undefined where
 * nothing agrees.
 */
export async function matchTo(
  { fine, coarse, crop: now }: Rings,
  { crop, map }: Pick<Source, 'crop' | 'map'>,
  { before, flow }: { before?: Match | undefined; flow?: FindFlow | undefined } = {},
): Promise<Match | undefined> {
  const found = align(fine.points, crop, {
    from: { gain: before?.gain ?? 1, offset: before?.offset ?? 0, map },
    rounds: 5,
  })
  // Points with detail tell little of a frame that is nearly black, and pull towards no change.
  const isOther = fine.points.count < 40 || Math.abs(Math.log(found.gain)) > 0.3
  const { gain, offset } = (isOther ? brightnessOf(fine, crop, found.map) : undefined) ?? found
  if (gain < 0.15) return undefined
  const { columns, rows } = fine.cells
  const cells = columns * rows
  const [right, down] = [new Float32Array(cells), new Float32Array(cells)]
  const match = { crop, map: found.map, gain, offset, right, down }
  const still = sumsOver(fine, match)
  if (!movesByItself(still, cells)) {
    return { ...match, isStill: true, ...differencesOf(still, fine), ...colourLifts(fine, match) }
  }
  // What was found for the frame before is near already.
  const rounds = before && !flow ? 1 : 3
  if (flow) await bendByFlow(flow, { ring: fine, crop: now }, match)
  else if (before) {
    right.set(before.right)
    down.set(before.down)
  } else bendSmall(coarse(), match, fine.cells.size)
  let sums = sumsOver(fine, match)
  for (let round = 0; round < rounds && movesByItself(sums, cells); round += 1) {
    bend(fine, match, sums)
    sums = sumsOver(fine, match)
  }
  return { ...match, isStill: false, ...differencesOf(sums, fine), ...colourLifts(fine, match) }
}

/** Looks for what moves by itself in small pictures, where it has not moved far. */
function bendSmall(coarse: Ring, match: Bent, size: number): void {
  const factor = size / coarse.cells.size
  const small = { ...match, crop: smallOf(match.crop, factor), map: enlarged(match.map, 1 / factor) }
  const shifts = searchBlocks(coarse, small.crop, small.map)
  match.right.set(shifts.right)
  match.down.set(shifts.down)
  for (let round = 0; round < 4; round += 1) bend(coarse, small, sumsOver(coarse, small))
  for (let cell = 0; cell < match.right.length; cell += 1) {
    match.right[cell] = (match.right[cell] ?? 0) * factor
    match.down[cell] = (match.down[cell] ?? 0) * factor
  }
}

function differencesOf(sums: Float64Array, { cells }: Ring): Pick<Match, 'lift' | 'doubt'> {
  const count = cells.columns * cells.rows
  const [lift, doubt, weights, even] = [0, 0, 0, 0].map(() => new Float32Array(count)) as [
    ...[Float32Array, Float32Array, Float32Array, Float32Array],
  ]
  for (let cell = 0; cell < count; cell += 1) {
    const deviation = deviationOf(sums, cell)
    if (deviation === undefined) continue
    const mean = (sums[cell * sumsOf + 1] ?? 0) / (sums[cell * sumsOf] ?? 1)
    lift[cell] = -mean
    doubt[cell] = Math.hypot(deviation, mean)
    even[cell] = 1
    weights[cell] = 2 / (1 + (deviation / 6) ** 2 + (mean / 12) ** 2)
  }
  spread(lift, weights, cells)
  spread(doubt, even, cells)
  return { lift, doubt }
}

/** What is to be added to each axis of colour. */
function colourLifts(ring: Ring, { crop, map: [a, b, c, d, e, f], gain }: Bent): Pick<Match, 'blue' | 'red'> {
  const count = ring.cells.columns * ring.cells.rows
  const [blue, red, seen] = [new Float32Array(count), new Float32Array(count), new Float32Array(count)]
  const [width, height] = [crop.width / 2, crop.height / 2]
  for (let index = 0; index < ring.count; index += 2) {
    const [px, py, cell] = [ring.x[index] ?? 0, ring.y[index] ?? 0, ring.cell[index] ?? 0]
    const x = Math.round((a * px + b * py + c - crop.x) / 2 - 0.25)
    const y = Math.round((d * px + e * py + f - crop.y) / 2 - 0.25)
    if (!(x >= 0 && y >= 0 && x < width && y < height)) continue
    if (crop.hidden[y * 2 * crop.width + x * 2] !== 0) continue
    const at = y * width + x
    blue[cell] = (blue[cell] ?? 0) + (ring.blue[index] ?? 128) - 128 - ((crop.blue[at] ?? 128) - 128) / gain
    red[cell] = (red[cell] ?? 0) + (ring.red[index] ?? 128) - 128 - ((crop.red[at] ?? 128) - 128) / gain
    seen[cell] = (seen[cell] ?? 0) + 1
  }
  for (let cell = 0; cell < count; cell += 1) {
    const samples = seen[cell] ?? 0
    if (samples > 0) [blue[cell], red[cell]] = [(blue[cell] ?? 0) / samples, (red[cell] ?? 0) / samples]
    // Colour that differs much is another thing's.
    const far = Math.hypot(blue[cell] ?? 0, red[cell] ?? 0)
    seen[cell] = samples < 4 ? 0 : 1 / (1 + (far / 4) ** 2)
  }
  spread(blue, seen, ring.cells)
  spread(red, seen, ring.cells)
  return { blue, red }
}
