import { after, identity, inverse, type Affine } from './affine.ts'
import { stepOf } from './align-step.ts'
import type { Picture, Points } from './points.ts'

/** How one picture's points lie in another. */
export interface Alignment {
  readonly map: Affine
  /** The other's brightness is gain x ours + offset. */
  readonly gain: number
  readonly offset: number
  /** Usual difference that is left, in levels. */
  readonly residual: number
  /** Of the points seen, those that agree; of all points, those seen. */
  readonly agreeing: number
  readonly seen: number
}

/** Where to begin, how many rounds to take, and whether the map may do more than shift. */
interface Search {
  readonly from: Pick<Alignment, 'map' | 'gain' | 'offset'>
  readonly rounds: number
  readonly isShift?: boolean
}

/** Where nothing is known. */
export const start: Search['from'] = { map: identity, gain: 1, offset: 0 }

const most = 4096
const differences = new Float32Array(most)
const counts = new Uint32Array(512)

/**
 * Lays points onto a picture by the least differences of brightness (Baker and Matthews' inverse compositional way),
 * those that do not fit counting little (Tukey's weights), so that what moves by itself does not pull. Begins
 * within a pixel or two of the truth.
 */
export function align(points: Points, onto: Picture, { from, rounds, isShift = false }: Search): Alignment {
  let { map, gain, offset } = from
  let found = look(points, onto, { map, gain, offset })
  for (let round = 0; round < rounds && found.seen * points.count >= 12; round += 1) {
    const step = stepOf(points, differences, { gain, limit: 4.685 * Math.max(1, found.residual), isShift })
    if (!step) break
    const tried = {
      map: after(inverse(step.warp), map),
      gain: gain + step.gain,
      offset: offset + step.offset,
    }
    const next = look(points, onto, tried)
    if (next.seen < found.seen * 0.7 || next.residual > found.residual * 1.05 + 0.05) {
      // The differences of what stays are what callers may look at.
      look(points, onto, { map, gain, offset })
      break
    }
    ;({ map, gain, offset } = tried)
    found = next
    if (step.length < 0.004) break
  }
  return { map, gain, offset, ...found }
}

/** Takes the differences at points, and what is usual of them: 1.48 times their median. */
function look(
  points: Points,
  { x: left, y: top, width, height, data, hidden }: Picture,
  { map: [a, b, c, d, e, f], gain, offset }: Search['from'],
): Pick<Alignment, 'residual' | 'agreeing' | 'seen'> {
  counts.fill(0)
  let seen = 0
  for (let index = 0; index < points.count; index += 1) {
    const px = points.x[index] ?? 0
    const py = points.y[index] ?? 0
    const x = a * px + b * py + c - left
    const y = d * px + e * py + f - top
    differences[index] = Number.NaN
    if (!(x >= 0 && y >= 0 && x < width - 1 && y < height - 1)) continue
    const [column, line] = [x | 0, y | 0]
    const at = line * width + column
    if ((hidden[at] ?? 1) + (hidden[at + width + 1] ?? 1) > 0) continue
    const [u, v] = [x - column, y - line]
    const above = (data[at] ?? 0) * (1 - u) + (data[at + 1] ?? 0) * u
    const below = (data[at + width] ?? 0) * (1 - u) + (data[at + width + 1] ?? 0) * u
    const difference = above + (below - above) * v - gain * (points.value[index] ?? 0) - offset
    differences[index] = difference
    const bin = Math.min(511, (Math.abs(difference) * 4) | 0)
    counts[bin] = (counts[bin] ?? 0) + 1
    seen += 1
  }
  let [bin, passed] = [0, 0]
  while (bin < 511 && passed + (counts[bin] ?? 0) < seen / 2) passed += counts[bin++] ?? 0
  const residual = (1.4826 * (bin + 0.5)) / 4
  let agreeing = 0
  for (let index = 0; index < 28; index += 1) agreeing += counts[index] ?? 0
  return { residual, seen: seen / Math.max(1, points.count), agreeing: agreeing / Math.max(1, seen) }
}
