/** The faces of one sample along the axis of the picture on which the crop can move, pixels. */
export interface AxisTarget {
  /** First frame of the stretch that the sample represents; it ends where the next one starts. */
  readonly start: number
  /** Whether a cut of the edit, not of the source, is at the start: it hides a move. */
  readonly isSeam: boolean
  /** Extent of the centres of the faces, of their boxes, and the length of the largest; undefined without faces. */
  readonly faces?:
    | {
        readonly centres: readonly [least: number, greatest: number]
        readonly boxes: readonly [least: number, greatest: number]
        readonly length: number
      }
    | undefined
}

/** What a plan of holds depends on. */
export interface HoldCameraOptions {
  /** Number of frames of all targets. */
  readonly frames: number
  readonly perSecond: number
  /** Length of the crop and of the picture along the axis, pixels. */
  readonly crop: number
  readonly picture: number
  /** Share of the crop at which the middle of the faces looks best. */
  readonly ideal: number
}

/** A position that the camera holds from a frame on. */
export interface CameraHold {
  readonly start: number
  /** Start of the crop in pixels, even; null where the whole picture is shown. */
  readonly position: number | null
}

/**
 * Least time between two moves, seconds. The law is one move in 4 s; the rest is for boundaries that are shifted to a cut
 * of the edit afterwards.
 */
const minHoldSeconds = 5

/** Least time from the start of a shot to the first move, and from the last move to its end, seconds. */
const minEdgeSeconds = 1

/** Positions that are tried, evenly spaced. */
const maxPositions = 96

/**
 * Costs per second: of a face whose centre is outside the crop, of a box that is cut, of a face at the edge of the crop,
 * and of the whole picture, which makes people small. So the whole picture is shown instead of losing a face for 1 % of
 * the time.
 */
const secondCosts = { outside: 100, cut: 4, offCentre: 0.6, whole: 1 }

/** Costs of a move: as many seconds of the whole picture. At a cut of the edit, it is not seen. */
const moveCosts = { visible: 2, hidden: 0.5 }

/** Distance from the edge of the crop within which a centre counts as outside, as a share of the crop. */
const edgeShare = 0.02

/**
 * Plans where a camera that holds still is over a shot: positions with the least total cost, by dynamic programming. Two
 * moves are at least `minHoldSeconds` apart. `targets` are in order, the first one starts at 0.
 *
 * Let S[i][p] be the cost of position p for the targets before i, and E[i] the least cost of these with a move at the start
 * of target i. The last hold before j begins at a start i that is at least the shortest hold earlier, so
 * E[j] = min over p of S[j][p] + min over i of (E[i] + move(i) − S[i][p]). The inner minimum of each position is kept while
 * i advances, so that time grows linearly with the targets.
 */
export function holdCamera(targets: readonly AxisTarget[], options: HoldCameraOptions): CameraHold[] {
  const positions = possiblePositions(options)
  if (positions.length === 1) return [{ start: 0, position: 0 }]
  const states = positions.length + 1
  const sums = costSums(targets, positions, options)
  const count = targets.length
  const startOf = (index: number) => targets[index]?.start ?? options.frames
  const [minHold, minEdge] = [minHoldSeconds * options.perSecond, minEdgeSeconds * options.perSecond]
  /** Least cost up to each start, and the hold that ends there. */
  const ends: (HoldEnd | undefined)[] = Array.from({ length: count + 1 })
  const open = Array.from({ length: states }, (): OpenHold => ({ cost: Infinity, from: 0 }))
  let admitted = 0
  const admitUntil = (frame: number) => {
    for (; admitted < count && startOf(admitted + 1) <= frame; admitted += 1) {
      const [index, end] = [admitted + 1, ends[admitted + 1]]
      if (!end || index >= count) continue
      const cost = end.cost + (targets[index]?.isSeam === true ? moveCosts.hidden : moveCosts.visible)
      for (const [state, hold] of open.entries()) {
        const relative = cost - (sums[index * states + state] ?? 0)
        if (relative < hold.cost) open[state] = { cost: relative, from: index }
      }
    }
  }
  for (let index = 1; index <= count; index += 1) {
    admitUntil(startOf(index) - (index === count ? minEdge : minHold))
    const canBeFirst = index === count || startOf(index) >= minEdge
    ends[index] = bestEnd(open, sums.subarray(index * states, (index + 1) * states), canBeFirst)
  }
  return readHolds(ends, (state) => positions[state] ?? null).map(({ from, position }) => ({
    start: from === 0 ? 0 : startOf(from),
    position,
  }))
}

interface OpenHold {
  readonly cost: number
  readonly from: number
}

interface HoldEnd extends OpenHold {
  readonly state: number
}

/** Returns the cheapest hold that ends at a start; undefined if none may. */
function bestEnd(open: readonly OpenHold[], sums: Float64Array, canBeFirst: boolean): HoldEnd | undefined {
  let best: HoldEnd | undefined
  for (const [state, hold] of open.entries()) {
    const sum = sums[state] ?? 0
    const first = canBeFirst ? sum : Infinity
    const [cost, from] = first <= hold.cost + sum ? [first, 0] : [hold.cost + sum, hold.from]
    if (cost < (best?.cost ?? Infinity)) best = { cost, from, state }
  }
  return best
}

/** Follows the cheapest holds back from the end. */
function readHolds(
  ends: readonly (HoldEnd | undefined)[],
  positionOf: (state: number) => number | null,
): { readonly from: number; readonly position: number | null }[] {
  const holds: { from: number; position: number | null }[] = []
  for (let end = ends.at(-1); end; end = end.from > 0 ? ends[end.from] : undefined)
    holds.unshift({ from: end.from, position: positionOf(end.state) })
  return holds
}

/** Returns the even positions that are tried, from one side of the picture to the other. */
export function possiblePositions({ crop, picture }: Pick<HoldCameraOptions, 'crop' | 'picture'>): number[] {
  const last = 2 * Math.floor((picture - crop) / 2)
  const count = Math.min(maxPositions, last / 2)
  return Array.from({ length: count + 1 }, (_, index) =>
    count === 0 ? 0 : 2 * Math.round((index * last) / count / 2),
  )
}

/** Returns the cost of each position, and of the whole picture as the last state, for the targets before each one. */
function costSums(
  targets: readonly AxisTarget[],
  positions: readonly number[],
  options: HoldCameraOptions,
): Float64Array {
  const states = positions.length + 1
  const sums = new Float64Array((targets.length + 1) * states)
  for (const [index, target] of targets.entries()) {
    const seconds = ((targets[index + 1]?.start ?? options.frames) - target.start) / options.perSecond
    for (let state = 0; state < states; state += 1) {
      const position = positions[state]
      const cost = position === undefined ? secondCosts.whole : positionCost(target, position, options)
      sums[(index + 1) * states + state] = (sums[index * states + state] ?? 0) + seconds * cost
    }
  }
  return sums
}

/** Returns the cost of a position for one target, per second. */
function positionCost(
  { faces }: AxisTarget,
  position: number,
  { crop, ideal }: Pick<HoldCameraOptions, 'crop' | 'ideal'>,
): number {
  if (!faces) return 0
  const { centres, boxes, length } = faces
  const end = position + crop
  const edge = edgeShare * crop
  const isOutside = centres[0] < position + edge || centres[1] > end - edge
  const cut = Math.min(
    1,
    (Math.max(0, position - boxes[0]) + Math.max(0, boxes[1] - end)) / Math.max(1, length),
  )
  const middle = (centres[0] + centres[1]) / 2
  const offCentre = Math.min(1, Math.abs(middle - position - ideal * crop) / (crop / 2))
  return (
    (isOutside ? secondCosts.outside : 0) + secondCosts.cut * cut + secondCosts.offCentre * offCentre ** 2
  )
}
