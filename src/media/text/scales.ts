import { letterSize, type TextBox } from './box.ts'
import { lineArea, lineIntersectionArea } from './tilt.ts'

/** What was found in a picture at one of its sizes. */
export interface ScaledDetections {
  readonly width: number
  readonly height: number
  readonly boxes: readonly TextBox[]
}

/** Size of letters up to which lines are found best as they are, px. */
const maxNativeLetterSize = 64

/** Share of the smaller of two lines that lies in the other where both are one. */
const minSameLineShare = 0.5

/** Lines found at several sizes of a picture, coarse to fine, each once, in pixels of the finest. */
export function mergeScales(looks: readonly ScaledDetections[]): TextBox[] {
  const finest = looks.at(-1)
  if (!finest) return []
  // First those of the size that suits them, each as large as it was seen there.
  const ranked = looks
    .flatMap(({ width, boxes }) => {
      const scale = finest.width / width
      return boxes.map((box) => ({
        box: {
          left: box.left * scale,
          top: box.top * scale,
          right: box.right * scale,
          bottom: box.bottom * scale,
          score: box.score,
          ...(box.tilt && { tilt: { ...box.tilt, letters: box.tilt.letterSize * scale } }),
        },
        // Of a line that is well known at several sizes, the finest tells most.
        unfit: letterSize(box) <= maxNativeLetterSize ? -width : letterSize(box),
      }))
    })
    .toSorted((one, other) => one.unfit - other.unfit)
  const kept: TextBox[] = []
  for (const { box } of ranked) {
    const known = kept.some(
      (other) =>
        lineIntersectionArea(box, other) >= minSameLineShare * Math.min(lineArea(box), lineArea(other)),
    )
    if (!known) kept.push(box)
  }
  return kept
}
