import type { HoledImage } from './holed-image.ts'

/** Radius of the compared windows, in pixels, excluding the centre. */
export const squareRadius = 3

/** Pixels in a window. */
const squarePixels = (2 * squareRadius + 1) ** 2

/** Limit of the brightness offset between windows, per channel, in levels. */
const maxOffset = 24
/** Share of the removed difference that still counts: a match without an offset is preferred. */
const offsetCost = 0.2

type ImagePixels = Pick<HoledImage, 'width' | 'height' | 'pixels'>

/** An image and the mean of the window around each pixel, per channel. */
interface SquareStatistics extends Pick<ImagePixels, 'width' | 'pixels'> {
  readonly means: Float32Array
}

/**
 * Returns the mean of the window around each pixel, per channel (3 values per pixel). 0 where the window exceeds the
 * image.
 */
export function squareMeans({ width, height, pixels }: ImagePixels): Float32Array {
  const stride = width * 3
  const along = new Float32Array(pixels.length)
  const means = new Float32Array(pixels.length)
  for (let y = 0; y < height; y += 1) {
    for (let channel = 0; channel < 3; channel += 1)
      slideMean(pixels, along, { first: y * stride + channel, step: 3, count: width })
  }
  for (let at = 0; at < stride; at += 1) slideMean(along, means, { first: at, step: stride, count: height })
  return means
}

/** Running mean over a window along a line. */
function slideMean(
  from: ArrayLike<number>,
  to: Float32Array,
  { first, step, count }: Record<'first' | 'step' | 'count', number>,
): void {
  const side = 2 * squareRadius + 1
  let sum = 0
  for (let index = 0, at = first; index < count; index += 1, at += step) {
    sum += (from[at] ?? 0) - (index < side ? 0 : (from[at - side * step] ?? 0))
    if (index >= side - 1) to[at - squareRadius * step] = sum / side
  }
}

/** Per-channel offset, at most 24 levels either way, that matches the mean of window `from` to window `at`. */
export function meanOffset(means: Float32Array, at: number, from: number): number {
  return Math.max(-maxOffset, Math.min(maxOffset, (means[at] ?? 0) - (means[from] ?? 0)))
}

/**
 * Sum of squared differences of two windows after offset correction. Returns early with some value above `limit` if it
 * is exceeded.
 */
function squareDistance(
  { width, pixels, means }: SquareStatistics,
  { at, from, limit }: Record<'at' | 'from' | 'limit', number>,
): number {
  let saved = 0
  for (let channel = 0; channel < 3; channel += 1) {
    const [one, other] = [at * 3 + channel, from * 3 + channel]
    const lift = meanOffset(means, one, other)
    saved += squarePixels * (1 - offsetCost) * lift * (2 * ((means[one] ?? 0) - (means[other] ?? 0)) - lift)
  }
  let sum = -saved
  let [one, other] = [
    (at - squareRadius * width - squareRadius) * 3,
    (from - squareRadius * width - squareRadius) * 3,
  ]
  for (let row = -squareRadius; row <= squareRadius; row += 1) {
    for (let k = 0; k < 3 * (2 * squareRadius + 1); k += 1) {
      const apart = (pixels[one + k] ?? 0) - (pixels[other + k] ?? 0)
      sum += apart * apart
    }
    if (sum > limit) return sum
    one += width * 3
    other += width * 3
  }
  return sum
}

/** For each window that overlaps a hole, the most similar window of known pixels (a nearest-neighbour field). */
export interface SquareMatches {
  /** Centre pixels of such windows, ascending. */
  readonly targets: Int32Array
  /** Per pixel: centre of the matching window. */
  readonly source: Int32Array
  /** Per pixel: distance to the match, as by `squareDistance`. */
  readonly cost: Int32Array
  /** Per pixel: 1 if its window is entirely known. */
  readonly isSource: Uint8Array
  readonly isTarget: Uint8Array
  readonly sources: Int32Array
  readonly random: () => number
}

/**
 * Initializes matches from those of the image at half the size, or else randomly. Undefined if no window is entirely
 * known.
 */
export function initMatches(
  { width, height, hole }: HoledImage,
  half?: { matches: SquareMatches; width: number },
): SquareMatches | undefined {
  const isSource = new Uint8Array(width * height)
  const isTarget = new Uint8Array(width * height)
  const reached = reachedByHoles(hole, width, height)
  for (let y = squareRadius; y < height - squareRadius; y += 1) {
    const row = y * width
    for (let x = row + squareRadius; x < row + width - squareRadius; x += 1) {
      if (reached[x] === 0) isSource[x] = 1
      else isTarget[x] = 1
    }
  }
  const sources = indexesOf(isSource)
  if (sources.length === 0) return undefined
  const random = createRandom(width * 31 + height)
  const source = new Int32Array(width * height)
  const targets = indexesOf(isTarget)
  for (const at of targets) {
    source[at] = half ? (upsampledSource(at, width, half) ?? -1) : -1
    if (isSource[source[at] ?? -1] !== 1) source[at] = sources[Math.floor(random() * sources.length)] ?? 0
  }
  const cost = new Int32Array(width * height).fill(2 ** 31 - 1)
  return { targets, source, cost, isSource, isTarget, sources, random }
}

function upsampledSource(
  at: number,
  width: number,
  { matches, width: columns }: { matches: SquareMatches; width: number },
): number | undefined {
  const [x, y] = [at % width, Math.floor(at / width)]
  const small = (y >> 1) * columns + Math.min(columns - 1, x >> 1)
  if (matches.isTarget[small] !== 1) return undefined
  const from = matches.source[small] ?? 0
  return (2 * Math.floor(from / columns) + (y & 1)) * width + 2 * (from % columns) + (x & 1)
}

/** Returns 1 for pixels whose window overlaps a hole. */
function reachedByHoles(hole: Uint8Array, width: number, height: number): Uint8Array {
  const along = new Uint8Array(hole.length)
  const reached = new Uint8Array(hole.length)
  for (let at = hole.indexOf(1); at >= 0; at = hole.indexOf(1, at + 1)) {
    const row = at - (at % width)
    along.fill(1, Math.max(row, at - squareRadius), Math.min(row + width, at + squareRadius + 1))
  }
  for (let at = along.indexOf(1); at >= 0; at = along.indexOf(1, at + 1)) {
    const top = Math.max(0, Math.floor(at / width) - squareRadius)
    const bottom = Math.min(height - 1, Math.floor(at / width) + squareRadius)
    for (let row = top; row <= bottom; row += 1) reached[row * width + (at % width)] = 1
  }
  return reached
}

function indexesOf(is: Uint8Array): Int32Array {
  const places = new Int32Array(is.reduce((sum, one) => sum + one, 0))
  let count = 0
  for (let at = is.indexOf(1); at >= 0; at = is.indexOf(1, at + 1)) places[count++] = at
  return places
}

/**
 * Improves matches in one PatchMatch pass (Barnes 2009): propagation from neighbours, then random search in shrinking
 * radii; `isWide` starts with the whole image.
 */
export function improveMatches(
  { width, height, pixels }: HoledImage,
  matches: SquareMatches,
  { round, isWide }: { round: number; isWide: boolean },
): void {
  const { targets, source, cost, isSource, isTarget, random } = matches
  const isBack = round % 2 === 1
  const step = isBack ? -1 : 1
  const isKnown = (place: number) => isSource[place] === 1
  const squares = { width, pixels, means: squareMeans({ width, height, pixels }) }
  for (let index = 0; index < targets.length; index += 1) {
    const at = targets[isBack ? targets.length - 1 - index : index] ?? 0
    let best = source[at] ?? 0
    // The pixels changed since the cost was computed.
    let least = squareDistance(squares, { at, from: best, limit: 2 ** 31 - 1 })
    const tryOut = (from: number) => {
      if (from === best || !isKnown(from)) return
      const now = squareDistance(squares, { at, from, limit: least })
      if (now < least) [best, least] = [from, now]
    }
    if (isTarget[at - step] === 1) tryOut((source[at - step] ?? 0) + step)
    if (isTarget[at - step * width] === 1) tryOut((source[at - step * width] ?? 0) + step * width)
    for (let reach = isWide ? Math.max(width, height) : 4; reach >= 1; reach >>= 1) {
      const x = (best % width) + Math.round((random() * 2 - 1) * reach)
      const y = Math.floor(best / width) + Math.round((random() * 2 - 1) * reach)
      if (x >= squareRadius && y >= squareRadius && x < width - squareRadius && y < height - squareRadius)
        tryOut(y * width + x)
    }
    source[at] = best
    cost[at] = least
  }
}

function createRandom(seed: number): () => number {
  let state = seed | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
