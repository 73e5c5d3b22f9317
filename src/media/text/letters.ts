import { boxHeight, boxWidth } from './box.ts'
import { cropAgain, type LumaCrop } from './luma.ts'
import type { Bounds } from '../geometry.ts'

/** Slopes that count as a letter's edge, as a share of the steepest. */
const minEdgeShare = 0.3

/** Edges that a level line through a box crosses, in a way as long as the box is high: of letters, several. */
export function edgeDensity(part: LumaCrop, box: Bounds): number {
  const { width, height, values } = cropAgain(part, box)
  const slopes = Float32Array.from(values, (value, at) =>
    at % width < width - 1 ? (values[at + 1] ?? 0) - value : 0,
  )
  const steepest =
    slopes
      .map(Math.abs)
      .toSorted()
      .at(Math.floor(slopes.length * 0.97)) ?? 0
  const least = Math.max(2, minEdgeShare * steepest)
  const counts: number[] = []
  for (let y = Math.floor(height * 0.25); y < height * 0.75; y += 1) {
    let [count, before] = [0, 0]
    for (let x = 0; x < width; x += 1) {
      const slope = slopes[y * width + x] ?? 0
      const now = Math.abs(slope) < least ? 0 : Math.sign(slope)
      // An edge is as wide as it is soft.
      if (now !== 0 && now !== before) count += 1
      before = now
    }
    counts.push(count)
  }
  const mean = counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length)
  return (mean * boxHeight(box)) / Math.max(1, boxWidth(box))
}
