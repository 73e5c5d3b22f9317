import type { Bounds } from '../geometry.ts'
import {
  boxArea,
  boxHeight,
  boxWidth,
  expandBox,
  intersectBoxes,
  isVertical,
  letterSize,
  type TextBox,
  uniteBoxes,
} from './box.ts'
import { lineArea, lineIntersectionArea } from './tilt.ts'

/** Least mean probability of what is taken for text. */
const minLineScore = 0.6

/** Most room between two words of a line, times the size of its letters. */
const maxWordGap = 0.9

/** Two boxes of a line are alike in height and share most of it. */
const maxLineHeightRatio = 1.7
const minSharedHeight = 0.6

/** Boxes as lines of text within a picture: words that stand in a row become one, weak ones are left out. */
export function joinIntoLines(
  boxes: readonly TextBox[],
  picture: { readonly width: number; readonly height: number },
): TextBox[] {
  const lines: TextBox[] = []
  for (const box of boxes) {
    if (box.score < minLineScore) continue
    // A tilted one may cross others: it stays by itself.
    if (box.tilt) {
      lines.push(box)
      continue
    }
    let whole = box
    // What has grown may reach the next: in whatever order they come, one line is left.
    for (;;) {
      const line = lines.find((other) => !other.tilt && areInRow(other, whole))
      if (!line) break
      lines.splice(lines.indexOf(line), 1)
      whole = joinBoxes(line, whole)
    }
    lines.push(whole)
  }
  const whole = { left: 0, top: 0, right: picture.width, bottom: picture.height }
  // Where a tilted one lies is told by all of its box.
  return lines
    .map((box) => (box.tilt ? box : { ...box, ...intersectBoxes(box, whole) }))
    .filter((box) => boxArea(intersectBoxes(box, whole)) > 0)
}

/** Narrow letters such as 1 are at most so many times as high as wide, and stand no closer than they are wide. */
const maxNarrowAspect = 3

/** Columns stand apart as lines do: what belongs to one follows below it. */
function areInRow(one: TextBox, other: TextBox): boolean {
  if (areShortColumns(one, other)) return false
  const isColumn = isVertical(one) && isVertical(other) && !areNarrowLetters(one, other)
  const [first, second] = isColumn ? [transposeBox(one), transposeBox(other)] : [one, other]
  const [low, high] = [boxHeight(first), boxHeight(second)].toSorted((a, b) => a - b)
  if (low === undefined || high === undefined || high > maxLineHeightRatio * low) return false
  const both = intersectBoxes(expandBox(first, maxWordGap * low, 0), second)
  return boxWidth(both) > 0 && boxHeight(both) >= minSharedHeight * low
}

/** Columns of two letters are at least so many times as high as wide, with the room around them. */
const minColumnAspect = 1.5

/** Side by side, and nearer than letters are that are not found as one word. */
function areShortColumns(one: Bounds, other: Bounds): boolean {
  const apart = horizontalGap(one, other)
  return [one, other].every(
    (box) => boxHeight(box) > minColumnAspect * boxWidth(box) && apart >= 0 && apart < boxWidth(box),
  )
}

function horizontalGap(one: Bounds, other: Bounds): number {
  return Math.max(one.left - other.right, other.left - one.right)
}

function areNarrowLetters(one: Bounds, other: Bounds): boolean {
  const apart = horizontalGap(one, other)
  return [one, other].every(
    (box) => boxHeight(box) <= maxNarrowAspect * boxWidth(box) && apart >= boxWidth(box),
  )
}

/** As if it ran level. */
function transposeBox({ left, top, right, bottom }: Bounds): Bounds {
  return { left: top, top: left, right: bottom, bottom: right }
}

function joinBoxes(one: TextBox, other: TextBox): TextBox {
  const [here, there] = [boxArea(one), boxArea(other)]
  return { ...uniteBoxes(one, other), score: (one.score * here + other.score * there) / (here + there) }
}

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
          ...(box.tilt && { tilt: { ...box.tilt, letterSize: box.tilt.letterSize * scale } }),
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
