import type { Frame } from '../clean/frame.ts'
import { boxArea, letterSize, intersectionOverUnion, type LineBox, type TextBox } from './box.ts'
import { cropAgain, type LumaCrop } from './luma.ts'
import type { Bounds } from '../geometry.ts'

/** A line of text resampled for a second detection, and its box in that frame. */
export interface RescoreInput {
  readonly frame: Frame
  readonly line: Bounds
}

/** Letter size after resampling, px; the detector works best at this size. */
const rescoreLetterSize = 36

/** Margin around the line, in letter sizes. */
const rescoreMargin = 0.8

/** Longest side of the resampled frame, px. */
const maxRescoreSide = 1280

/** Largest scale; beyond it there is no more detail. */
const maxRescoreScale = 3

/** Resamples a line to another scale: false detections seldom look like text at two scales. */
export function prepareRescore(part: LumaCrop, line: LineBox): RescoreInput {
  const margin = rescoreMargin * letterSize(line)
  const surroundings = cropAgain(part, {
    left: line.left - margin,
    top: line.top - margin,
    right: line.right + margin,
    bottom: line.bottom + margin,
  })
  const scale = Math.min(
    maxRescoreScale,
    rescoreLetterSize / Math.max(1, letterSize(line)),
    maxRescoreSide / Math.max(surroundings.width, surroundings.height),
  )
  const at = (place: number, from: number) => (place - from) * scale
  return {
    frame: resampleCrop(surroundings, scale),
    line: {
      left: at(line.left, surroundings.left),
      top: at(line.top, surroundings.top),
      right: at(line.right, surroundings.left),
      bottom: at(line.bottom, surroundings.top),
    },
  }
}

/** Returns the detector's score of the line in the second detection, 0 to 1; 0 if it was not found again. */
export function rescore({ line }: RescoreInput, boxes: readonly TextBox[]): number {
  const [best] = boxes
    .map((box) => ({ box, likeness: intersectionOverUnion(box, line) }))
    .toSorted((one, other) => other.likeness - one.likeness)
  return best && best.likeness > 0.4 && boxArea(best.box) > 0 ? best.box.score : 0
}

/** Resamples a crop to a grey frame with a triangle filter. */
function resampleCrop(part: LumaCrop, scale: number): Frame {
  const even = (side: number) => Math.max(2, 2 * Math.round((side * scale) / 2))
  const [width, height] = [even(part.width), even(part.height)]
  const bytes = new Uint8Array((width * height * 3) / 2).fill(128)
  const [columns, rows] = [resampleWeights(part.width, width), resampleWeights(part.height, height)]
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      let sum = 0
      for (const row of rows[y] ?? []) {
        for (const column of columns[x] ?? [])
          sum += row.weight * column.weight * (part.values[row.at * part.width + column.at] ?? 0)
      }
      bytes[y * width + x] = Math.round(sum)
    }
  }
  return { width, height, bytes }
}

/** Returns the source indices and weights of each output sample. */
function resampleWeights(from: number, to: number): { readonly at: number; readonly weight: number }[][] {
  const ratio = from / to
  const spread = Math.max(1, ratio)
  return Array.from({ length: to }, (_, index) => {
    const middle = (index + 0.5) * ratio - 0.5
    const first = Math.ceil(middle - spread)
    const weights = Array.from({ length: Math.floor(middle + spread) - first + 1 }, (__, more) => ({
      at: Math.min(from - 1, Math.max(0, first + more)),
      weight: Math.max(0, 1 - Math.abs(first + more - middle) / spread),
    })).filter(({ weight }) => weight > 0)
    const sum = weights.reduce((all, { weight }) => all + weight, 0)
    return weights.map(({ at, weight }) => ({ at, weight: weight / sum }))
  })
}
