import type { Holed } from './picture.ts'
import { meansOf, radius, unlikeness } from './squares.ts'

/** For squares that holes reach into, the known squares most like them. */
export interface Matches {
  /** Middles of such squares, row by row. */
  readonly targets: Int32Array
  /** By pixel: the middle of the like square. */
  readonly source: Int32Array
  /** By pixel: how unlike it is. */
  readonly cost: Int32Array
  /** By pixel: 1 for middles of squares that are wholly known. */
  readonly isSource: Uint8Array
  readonly isTarget: Uint8Array
  readonly sources: Int32Array
  readonly random: () => number
}

/** Begins with what was found in the picture of half the size, else anywhere; undefined where no square is known. */
export function startMatches(
  { width, height, hole }: Holed,
  half?: { matches: Matches; width: number },
): Matches | undefined {
  const isSource = new Uint8Array(width * height)
  const isTarget = new Uint8Array(width * height)
  const reached = reachedBy(hole, width, height)
  for (let y = radius; y < height - radius; y += 1) {
    const row = y * width
    for (let x = row + radius; x < row + width - radius; x += 1) {
      if (reached[x] === 0) isSource[x] = 1
      else isTarget[x] = 1
    }
  }
  const sources = placesOf(isSource)
  if (sources.length === 0) return undefined
  const random = randomFrom(width * 31 + height)
  const source = new Int32Array(width * height)
  const targets = placesOf(isTarget)
  for (const at of targets) {
    source[at] = half ? (enlargedSource(at, width, half) ?? -1) : -1
    if (isSource[source[at] ?? -1] !== 1) source[at] = sources[Math.floor(random() * sources.length)] ?? 0
  }
  const cost = new Int32Array(width * height).fill(2 ** 31 - 1)
  return { targets, source, cost, isSource, isTarget, sources, random }
}

function enlargedSource(
  at: number,
  width: number,
  { matches, width: columns }: { matches: Matches; width: number },
): number | undefined {
  const [x, y] = [at % width, Math.floor(at / width)]
  const small = (y >> 1) * columns + Math.min(columns - 1, x >> 1)
  if (matches.isTarget[small] !== 1) return undefined
  const from = matches.source[small] ?? 0
  return (2 * Math.floor(from / columns) + (y & 1)) * width + 2 * (from % columns) + (x & 1)
}

/** 1 for pixels whose square a hole reaches into. */
function reachedBy(hole: Uint8Array, width: number, height: number): Uint8Array {
  const along = new Uint8Array(hole.length)
  const reached = new Uint8Array(hole.length)
  for (let at = hole.indexOf(1); at >= 0; at = hole.indexOf(1, at + 1)) {
    const row = at - (at % width)
    along.fill(1, Math.max(row, at - radius), Math.min(row + width, at + radius + 1))
  }
  for (let at = along.indexOf(1); at >= 0; at = along.indexOf(1, at + 1)) {
    const top = Math.max(0, Math.floor(at / width) - radius)
    const bottom = Math.min(height - 1, Math.floor(at / width) + radius)
    for (let row = top; row <= bottom; row += 1) reached[row * width + (at % width)] = 1
  }
  return reached
}

function placesOf(is: Uint8Array): Int32Array {
  const places = new Int32Array(is.reduce((sum, one) => sum + one, 0))
  let count = 0
  for (let at = is.indexOf(1); at >= 0; at = is.indexOf(1, at + 1)) places[count++] = at
  return places
}

/** Looks for better matches once: those of neighbours moved along, and, if wide, places ever nearer to the best. */
export function searchMatches(
  { width, height, pixels }: Holed,
  matches: Matches,
  { round, isWide }: { round: number; isWide: boolean },
): void {
  const { targets, source, cost, isSource, isTarget, random } = matches
  const isBack = round % 2 === 1
  const step = isBack ? -1 : 1
  const isKnown = (place: number) => isSource[place] === 1
  const squares = { width, pixels, means: meansOf({ width, height, pixels }) }
  for (let index = 0; index < targets.length; index += 1) {
    const at = targets[isBack ? targets.length - 1 - index : index] ?? 0
    let best = source[at] ?? 0
    // What is compared has changed since.
    let least = unlikeness(squares, { at, from: best, limit: 2 ** 31 - 1 })
    const tryOut = (from: number) => {
      if (from === best || !isKnown(from)) return
      const now = unlikeness(squares, { at, from, limit: least })
      if (now < least) [best, least] = [from, now]
    }
    if (isTarget[at - step] === 1) tryOut((source[at - step] ?? 0) + step)
    if (isTarget[at - step * width] === 1) tryOut((source[at - step * width] ?? 0) + step * width)
    for (let reach = isWide ? Math.max(width, height) : 4; reach >= 1; reach >>= 1) {
      const x = (best % width) + Math.round((random() * 2 - 1) * reach)
      const y = Math.floor(best / width) + Math.round((random() * 2 - 1) * reach)
      if (x >= radius && y >= radius && x < width - radius && y < height - radius) tryOut(y * width + x)
    }
    source[at] = best
    cost[at] = least
  }
}

function randomFrom(seed: number): () => number {
  let state = seed | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
