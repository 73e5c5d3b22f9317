import type { Bounds, Size } from '../geometry.ts'
import { boxHeight, boxWidth, expandBox, isVertical, letterSize, type LineBox, translateBox } from './box.ts'
import { connectedComponents } from './connected-components.ts'
import { cropAgain, type LumaCrop } from './luma.ts'
import { extendTiltedToEdges as tiltedToEdges } from './tilt.ts'

/** How far beyond a detected box ink is looked for, times the size of its letters, and at least, px. */
const searchReach = 0.3
const minSearchReach = 4

/** How far beyond it the middle of a letter may lie that was not seen whole, times the size of its letters. */
const maxMissedOffset = { across: 0.2, down: 0.1 }

/** What of a picture is cut out to look for the ink of a line. */
export function strokeSearchBox(box: LineBox): Bounds {
  return expandBox(box, 3 * searchReach * letterSize(box) + 2 * minSearchReach)
}

/** Slopes that count as ink's, as a share of the steepest in the box. */
const minGradientShare = 0.3

/**
 * The least box around the ink of a line, by slopes of brightness: what has steep ones and touches, or lies among, what is inside the box
 * that was detected. A thing that goes on far beyond it is none of the line's. Where the picture's size is given, a line
 * that runs to its edge ends there, with the letter that is cut. Of a tilted line it is all that was detected: others may
 * lie in its box, whose middle tells where it runs.
 */
export function strokeBox(part: LumaCrop, detected: LineBox, picture?: Size): Bounds {
  if (detected.tilt) return picture ? tiltedToEdges(detected, picture) : detected
  const { left, top, width, height } = part
  const local = {
    left: Math.max(0, Math.round(detected.left) - left),
    top: Math.max(0, Math.round(detected.top) - top),
    right: Math.min(width, Math.round(detected.right) - left),
    bottom: Math.min(height, Math.round(detected.bottom) - top),
  }
  const whole =
    picture && translateBox({ left: 0, top: 0, right: picture.width, bottom: picture.height }, -left, -top)
  const slopes = whole ? maskOutside(part, whole) : part.values
  const open = (box: Bounds) => (whole ? openAtEdges(box, { line: local, whole }) : box)
  const inner: number[] = []
  for (let y = local.top; y < local.bottom; y += 1)
    for (let x = local.left; x < local.right; x += 1) inner.push(slopes[y * width + x] ?? 0)
  const steepest = inner.toSorted((one, other) => other - one)[Math.floor(inner.length * 0.05)] ?? 0
  const far = Math.max(minSearchReach, searchReach * letterSize(detected))
  const limit = open(expandBox(local, far))
  const least = Math.max(2, minGradientShare * steepest)
  const near = open(
    expandBox(
      local,
      maxMissedOffset.across * letterSize(detected),
      maxMissedOffset.down * letterSize(detected),
    ),
  )
  const found = connectedComponents({ width, height, values: slopes }, least).filter((piece) => {
    const x = (piece.left + piece.right) / 2
    const y = (piece.top + piece.bottom) / 2
    const within = x > near.left && x < near.right && y > near.top && y < near.bottom
    return within && !extendsBeyond(piece, limit) && piece.count > 2
  })
  if (found.length === 0) return detected
  const ink = {
    // A slope lies before what it leads to.
    left: Math.min(...found.map((one) => one.left)) + left + 1,
    top: Math.min(...found.map((one) => one.top)) + top + 1,
    right: Math.max(...found.map((one) => one.right)) + left,
    bottom: Math.max(...found.map((one) => one.bottom)) + top,
  }
  return limitPadding(ink, detected)
}

/** Slopes without those beyond the picture, where its edge is repeated. */
function maskOutside({ width, values }: LumaCrop, { left, top, right, bottom }: Bounds): Float32Array {
  return values.map((value, at) => {
    const x = at % width
    const y = (at - x) / width
    return x >= left && x < right && y >= top && y < bottom ? value : 0
  })
}

/** A box that has no end where its line comes within a letter of the picture's edge, in the way it runs. */
function openAtEdges(
  box: Bounds,
  { line, whole }: { readonly line: Bounds; readonly whole: Bounds },
): Bounds {
  const [from, to] = isVertical(line) ? (['top', 'bottom'] as const) : (['left', 'right'] as const)
  const size = letterSize(line)
  return {
    ...box,
    ...(line[from] - whole[from] < size && { [from]: -Infinity }),
    ...(whole[to] - line[to] < size && { [to]: Infinity }),
  }
}

/** Most room that a detected box has around ink, times the size of its letters, and px. */
const maxPadding = 0.3
const maxPaddingPixels = 4

/** Ink whose edges lie no further inside than the detector is ever off: beyond that, letters were too faint to see. */
function limitPadding(ink: Bounds, detected: LineBox): Bounds {
  const most = Math.max(maxPaddingPixels, maxPadding * letterSize(detected))
  return {
    left: ink.left - detected.left > most ? detected.left : ink.left,
    top: ink.top - detected.top > most ? detected.top : ink.top,
    right: detected.right - ink.right > most ? detected.right : ink.right,
    bottom: detected.bottom - ink.bottom > most ? detected.bottom : ink.bottom,
  }
}

function extendsBeyond(piece: Bounds, limit: Bounds): boolean {
  return (
    piece.left < limit.left ||
    piece.top < limit.top ||
    piece.right > limit.right ||
    piece.bottom > limit.bottom
  )
}

/**
 * The steepest change of brightness at each pixel to the next ones, of a picture; of several that are cut alike, the
 * one in the middle: what stands still in all of them stays, what goes by behind it does not.
 */
export function medianGradient(parts: readonly [LumaCrop, ...LumaCrop[]]): LumaCrop {
  const [first] = parts
  const { width, height } = first
  const across = new Float32Array(parts.length)
  const down = new Float32Array(parts.length)
  const middleOf = (all: Float32Array) => Math.abs(all.toSorted()[Math.floor(parts.length / 2)] ?? 0)
  const values = new Float32Array(width * height)
  for (let y = 0; y < height - 1; y += 1) {
    for (let x = 0; x < width - 1; x += 1) {
      const at = y * width + x
      for (const [index, part] of parts.entries()) {
        const here = part.values[at] ?? 0
        across[index] = (part.values[at + 1] ?? 0) - here
        down[index] = (part.values[at + width] ?? 0) - here
      }
      values[at] = Math.max(middleOf(across), middleOf(down))
    }
  }
  return { ...first, values }
}

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
