import type { Bounds, Size } from '../geometry.ts'
import { boxHeight, boxWidth, expandBox, isVertical, letterSize, type LineBox, translateBox } from './box.ts'
import { connectedComponents } from './connected-components.ts'
import { cropAgain, type LumaCrop } from './luma.ts'
import { extendTiltedToEdges } from './tilt.ts'

/** How far beyond a detected box strokes are searched, in letter sizes, and at least, in px. */
const searchReach = 0.3
const minSearchReach = 4

/** How far beyond the box the centre of a partly detected letter may be, in letter sizes. */
const maxMissedOffset = { across: 0.2, down: 0.1 }

/** Returns the box that must be cropped to search for the strokes of a line. */
export function strokeSearchBox(box: LineBox): Bounds {
  return expandBox(box, 3 * searchReach * letterSize(box) + 2 * minSearchReach)
}

/** Least gradient of a stroke, as a share of the 95th percentile in the box. */
const minGradientShare = 0.3

/**
 * Returns the least box around the strokes of a line, px.
 * part: gradient magnitude as from `medianGradient`. Strokes are connected steep pixels centred near the detected box;
 * components that extend far beyond it do not belong to the line. picture: if present, a line that reaches the
 * picture's edge is extended to it, to include a letter cut by the edge. For a tilted line, returns the detected box,
 * because the box may contain other lines and its centre gives the line's position. Returns the detected box if no
 * stroke is found.
 */
export function strokeBox(part: LumaCrop, detected: LineBox, picture?: Size): Bounds {
  if (detected.tilt) return picture ? extendTiltedToEdges(detected, picture) : detected
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
  const found = connectedComponents({ width, height, values: slopes }, least).filter((component) => {
    const x = (component.left + component.right) / 2
    const y = (component.top + component.bottom) / 2
    const within = x > near.left && x < near.right && y > near.top && y < near.bottom
    return within && !extendsBeyond(component, limit) && component.count > 2
  })
  if (found.length === 0) return detected
  const strokes = {
    // A forward difference is stored at the pixel before the edge.
    left: Math.min(...found.map((one) => one.left)) + left + 1,
    top: Math.min(...found.map((one) => one.top)) + top + 1,
    right: Math.max(...found.map((one) => one.right)) + left,
    bottom: Math.max(...found.map((one) => one.bottom)) + top,
  }
  return limitPadding(strokes, detected)
}

/** Returns gradients set to 0 outside the picture, where the crop repeats edge pixels. */
function maskOutside({ width, values }: LumaCrop, { left, top, right, bottom }: Bounds): Float32Array {
  return values.map((value, at) => {
    const x = at % width
    const y = (at - x) / width
    return x >= left && x < right && y >= top && y < bottom ? value : 0
  })
}

/** Returns a box that is unbounded, in reading direction, where its line is within one letter of the picture's edge. */
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

/** Largest padding of a detected box around strokes, in letter sizes, and at least, in px. */
const maxPadding = 0.3
const maxPaddingPixels = 4

/** Replaces edges of the strokes that are farther inside the detected box than its padding: letters there were too faint. */
function limitPadding(strokes: Bounds, detected: LineBox): Bounds {
  const most = Math.max(maxPaddingPixels, maxPadding * letterSize(detected))
  return {
    left: strokes.left - detected.left > most ? detected.left : strokes.left,
    top: strokes.top - detected.top > most ? detected.top : strokes.top,
    right: detected.right - strokes.right > most ? detected.right : strokes.right,
    bottom: detected.bottom - strokes.bottom > most ? detected.bottom : strokes.bottom,
  }
}

function extendsBeyond(component: Bounds, limit: Bounds): boolean {
  return (
    component.left < limit.left ||
    component.top < limit.top ||
    component.right > limit.right ||
    component.bottom > limit.bottom
  )
}

/**
 * Gradient magnitude per pixel: the larger absolute forward difference, right or down, of luma 0 to 255. Of several
 * crops of the same size, the median difference, which keeps still content and removes what moves behind it.
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

/** Least gradient of a letter's edge, as a share of the 97th percentile. */
const minEdgeShare = 0.3

/** Mean number of vertical edges in a row of pixels, per box height; several per letter. Uses the middle half of the rows. */
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
      // A blurred edge spans several pixels and counts once.
      if (now !== 0 && now !== before) count += 1
      before = now
    }
    counts.push(count)
  }
  const mean = counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length)
  return (mean * boxHeight(box)) / Math.max(1, boxWidth(box))
}
