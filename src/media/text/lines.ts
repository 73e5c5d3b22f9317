import {
  areaOf,
  around,
  grown,
  heightOf,
  isUpright,
  shared,
  widthOf,
  type Bounds,
  type TextBox,
} from './box.ts'

/** Least mean probability of what is taken for text. */
const leastScore = 0.6

/** Most room between two words of a line, times the size of its letters. */
const wordSpace = 0.9

/** Two boxes of a line are alike in height and share most of it. */
const likeHeights = 1.7
const heightShared = 0.6

/** Boxes as lines of text within a picture: words that stand in a row become one, weak ones are left out. */
export function linesOf(
  boxes: readonly TextBox[],
  picture: { readonly width: number; readonly height: number },
): TextBox[] {
  const lines: TextBox[] = []
  for (const box of boxes) {
    if (box.score < leastScore) continue
    // A tilted one may cross others: it stays by itself.
    if (box.tilt) {
      lines.push(box)
      continue
    }
    let whole = box
    // What has grown may reach the next: in whatever order they come, one line is left.
    for (;;) {
      const line = lines.find((other) => !other.tilt && standInRow(other, whole))
      if (!line) break
      lines.splice(lines.indexOf(line), 1)
      whole = joined(line, whole)
    }
    lines.push(whole)
  }
  const whole = { left: 0, top: 0, right: picture.width, bottom: picture.height }
  // Where a tilted one lies is told by all of its box.
  return lines
    .map((box) => (box.tilt ? box : { ...box, ...shared(box, whole) }))
    .filter((box) => areaOf(shared(box, whole)) > 0)
}

/** Narrow letters such as 1 are at most so many times as high as wide, and stand no closer than they are wide. */
const narrowLetter = 3

/** Columns stand apart as lines do: what belongs to one follows below it. */
function standInRow(one: TextBox, other: TextBox): boolean {
  if (areShortColumns(one, other)) return false
  const isColumn = isUpright(one) && isUpright(other) && !areNarrowLetters(one, other)
  const [first, second] = isColumn ? [turned(one), turned(other)] : [one, other]
  const [low, high] = [heightOf(first), heightOf(second)].toSorted((a, b) => a - b)
  if (low === undefined || high === undefined || high > likeHeights * low) return false
  const both = shared(grown(first, wordSpace * low, 0), second)
  return widthOf(both) > 0 && heightOf(both) >= heightShared * low
}

/** Columns of two letters are at least so many times as high as wide, with the room around them. */
const shortColumn = 1.5

/** Side by side, and nearer than letters are that are not found as one word. */
function areShortColumns(one: Bounds, other: Bounds): boolean {
  const apart = apartOf(one, other)
  return [one, other].every(
    (box) => heightOf(box) > shortColumn * widthOf(box) && apart >= 0 && apart < widthOf(box),
  )
}

function apartOf(one: Bounds, other: Bounds): number {
  return Math.max(one.left - other.right, other.left - one.right)
}

function areNarrowLetters(one: Bounds, other: Bounds): boolean {
  const apart = apartOf(one, other)
  return [one, other].every((box) => heightOf(box) <= narrowLetter * widthOf(box) && apart >= widthOf(box))
}

/** As if it ran level. */
function turned({ left, top, right, bottom }: Bounds): Bounds {
  return { left: top, top: left, right: bottom, bottom: right }
}

function joined(one: TextBox, other: TextBox): TextBox {
  const [here, there] = [areaOf(one), areaOf(other)]
  return { ...around(one, other), score: (one.score * here + other.score * there) / (here + there) }
}
