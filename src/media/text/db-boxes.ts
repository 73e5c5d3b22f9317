import type { TextBox } from './box.ts'
import { piecesOf } from './pieces.ts'

/** A map of the probability that a pixel lies in the core of a line of text. */
export interface ProbabilityMap {
  readonly width: number
  readonly height: number
  readonly values: Float32Array
}

/** Probability from which a pixel counts as core. */
const coreFrom = 0.3

/** Cores of fewer pixels on a side are noise. */
const leastSide = 2

/**
 * How far the core of a line is grown, times its area by its circumference: the model is trained on cores that are
 * shrunk by a distance of that kind (Liao et al., Real-time scene text detection with differentiable binarization).
 */
const growth = 1.6

/** The boxes of text in a map, one for each core, with the mean probability of the core as score. */
export function boxesOf(map: ProbabilityMap): TextBox[] {
  return piecesOf(map, coreFrom).flatMap((core) => {
    const width = core.right - core.left
    const height = core.bottom - core.top
    if (Math.min(width, height) < leastSide) return []
    // A line that is not level fills little of its box: it is as thick as its area by its length.
    const length = core.count < (width * height) / 2 ? Math.hypot(width, height) : Math.max(width, height)
    const thickness = Math.min(core.count / length, width, height)
    const distance = (growth * length * thickness) / (2 * (length + thickness))
    return [
      {
        left: Math.max(0, core.left - distance),
        top: Math.max(0, core.top - distance),
        right: Math.min(map.width, core.right + distance),
        bottom: Math.min(map.height, core.bottom + distance),
        score: core.sum / core.count,
      },
    ]
  })
}
