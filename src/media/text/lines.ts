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

/** Least score of a line, 0 to 1. */
const minLineScore = 0.6

/** Largest gap between two words of a line, in letter sizes. */
const maxWordGap = 0.9

/** Largest ratio of the heights of two boxes of a line, and least share of the lower height that they overlap. */
const maxLineHeightRatio = 1.7
const minSharedHeight = 0.6

/** Joins boxes of words into lines and clips them to the picture. Drops boxes with a score below 0.6. */
export function joinIntoLines(
  boxes: readonly TextBox[],
  picture: { readonly width: number; readonly height: number },
): TextBox[] {
  const lines: TextBox[] = []
  for (const box of boxes) {
    if (box.score < minLineScore) continue
    // A tilted box may cross others, so it is never joined.
    if (box.tilt) {
      lines.push(box)
      continue
    }
    let whole = box
    // A joined box may reach further ones, so repeat: the result does not depend on the order of boxes.
    for (;;) {
      const line = lines.find((other) => !other.tilt && areInRow(other, whole))
      if (!line) break
      lines.splice(lines.indexOf(line), 1)
      whole = joinBoxes(line, whole)
    }
    lines.push(whole)
  }
  const whole = { left: 0, top: 0, right: picture.width, bottom: picture.height }
  // Tilted boxes are not clipped, because the whole box determines the position of the line.
  return lines
    .map((box) => (box.tilt ? box : { ...box, ...intersectBoxes(box, whole) }))
    .filter((box) => boxArea(intersectBoxes(box, whole)) > 0)
}

/** Largest ratio of height to width of a narrow letter such as 1. Narrow letters are at least their width apart. */
const maxNarrowAspect = 3

/** Whether two boxes are parts of one line: side by side, or one below the other if both are columns. */
function areInRow(one: TextBox, other: TextBox): boolean {
  if (areShortColumns(one, other)) return false
  const isColumn = isVertical(one) && isVertical(other) && !areNarrowLetters(one, other)
  const [first, second] = isColumn ? [transposeBox(one), transposeBox(other)] : [one, other]
  const [low, high] = [boxHeight(first), boxHeight(second)].toSorted((a, b) => a - b)
  if (low === undefined || high === undefined || high > maxLineHeightRatio * low) return false
  const both = intersectBoxes(expandBox(first, maxWordGap * low, 0), second)
  return boxWidth(both) > 0 && boxHeight(both) >= minSharedHeight * low
}

/** Least ratio of height to width of a column of two letters, padding included. */
const minColumnAspect = 1.5

/** Whether two boxes are separate columns side by side: separate letters of a word would be farther apart. */
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

/** Swaps the axes, so that a column becomes a row. */
function transposeBox({ left, top, right, bottom }: Bounds): Bounds {
  return { left: top, top: left, right: bottom, bottom: right }
}

function joinBoxes(one: TextBox, other: TextBox): TextBox {
  const [here, there] = [boxArea(one), boxArea(other)]
  return { ...uniteBoxes(one, other), score: (one.score * here + other.score * there) / (here + there) }
}

/** Lines detected in a picture at one scale. */
export interface ScaledDetections {
  readonly width: number
  readonly height: number
  readonly boxes: readonly TextBox[]
}

/** Letter size up to which detection at native scale is best, px. */
const maxNativeLetterSize = 64

/** Least share of the smaller of two lines inside the other if both are the same line. */
const minSameLineShare = 0.5

/** Merges lines detected at several scales, coarse to fine, without duplicates. Returns pixels of the finest scale. */
export function mergeScales(scales: readonly ScaledDetections[]): TextBox[] {
  const finest = scales.at(-1)
  if (!finest) return []
  // Of each line, keep the detection at the scale that suits its letter size best.
  const ranked = scales
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
        // Among scales with suitable letter sizes, the finest is best.
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
