import type { OutputRatio } from '../../contract/catalog.ts'
import { canvasSize } from './canvas.ts'
import { type Layout, layoutsFor, slotShares } from './layout.ts'

/** Criteria of the automatic choice of a layout. */
export interface ChooseLayoutOptions {
  /** Aspect ratio (width / height) of each clip's picture after its crop. */
  readonly aspects: readonly number[]
  readonly ratio: OutputRatio
  readonly fit: 'cover' | 'contain'
  /** Integer, 0 to 2147483647. Selects one of the best layouts, which crop alike, in ascending order of ids. */
  readonly seed: number
}

/** Maximum aspect ratio (long side / short side) of a slot in layouts that are offered. */
const maxSlotAspect = 3.6

/** Tolerance for rounding errors in sums of shares and in losses. */
const shareTolerance = 1e-9

/** Difference of losses that nobody notices: a hundredth of a picture. */
export const noticeableLoss = 0.01

const offeredCache = new Map<string, readonly Layout[]>()

/** Returns the layouts offered for a number of clips and an output ratio: those without long, narrow slots. */
export function offeredLayouts(clips: number, ratio: OutputRatio): readonly Layout[] {
  const key = `${clips} ${ratio}`
  const cached = offeredCache.get(key)
  if (cached) return cached
  const layouts = layoutsFor(clips).filter((layout) => isLayoutOffered(layout, ratio))
  offeredCache.set(key, layouts)
  return layouts
}

/** Returns whether no slot of a layout is longer than `maxSlotAspect` in an output ratio. */
export function isLayoutOffered(layout: Layout, ratio: OutputRatio): boolean {
  return slotAspects(layout, ratio).every((aspect) => Math.max(aspect, 1 / aspect) <= maxSlotAspect)
}

/**
 * Returns the layout with the least loss, see `layoutLoss`. Slots are measured without gaps, so that the size and
 * the gap of the result do not affect the choice. Throws RangeError if no layout has as many slots as clips.
 */
export function chooseLayout(options: ChooseLayoutOptions): Layout {
  const best = bestLayouts(options)
  const chosen = best[options.seed % best.length]
  if (!chosen) throw new RangeError(`no layout for ${options.aspects.length} clips`)
  return chosen
}

/**
 * Returns the default seed: the first seed from `options.seed` on whose layout shows the clips in reading order, or
 * else the first clip at the top left. Returns `options.seed` if no layout qualifies.
 */
export function orderlySeed(options: ChooseLayoutOptions): number {
  const best = bestLayouts(options)
  const first = options.seed % best.length
  const candidates = [...best.slice(first), ...best.slice(0, first)]
  const steps = [isInReadingOrder, startsTopLeft].map((isOrderly) => candidates.findIndex(isOrderly))
  const seed = options.seed + (steps.find((step) => step >= 0) ?? 0)
  return seed <= maxSeed ? seed : seed - best.length
}

const maxSeed = 2 ** 31 - 1

/**
 * Returns the group of layouts with the least loss. The layouts of a group have the same `equivalenceKey`. Of groups
 * whose loss is hardly more, the one with the most even slots wins, then the one that divides the longer side of the result most.
 */
function bestLayouts(options: ChooseLayoutOptions): readonly Layout[] {
  const layouts = offeredLayouts(options.aspects.length, options.ratio)
  const groups = Map.groupBy(layouts, ({ equivalenceKey }) => equivalenceKey)
  const rated = [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map((first) => ({
      group,
      loss: layoutLoss(first, options),
      ranks: [evenness(first), longSideDivision(first, options.ratio)],
    })),
  )
  const leastLoss = Math.min(...rated.map(({ loss }) => loss))
  return rated
    .filter(({ loss }) => loss <= leastLoss + noticeableLoss)
    .reduce((one, another) => (ranksAbove(another.ranks, one.ranks) ? another : one)).group
}

/** Returns whether the first rank that differs is higher. */
function ranksAbove(ranks: readonly number[], others: readonly number[]): boolean {
  const differences = ranks.map((rank, index) => rank - (others[index] ?? 0))
  return (differences.find((difference) => Math.abs(difference) > shareTolerance) ?? 0) > 0
}

/** Returns how much more a layout divides the longer side of the result than the shorter one; 0 for a square. */
function longSideDivision(layout: Layout, ratio: OutputRatio): number {
  const { width, height } = canvasSize(ratio, '1080p')
  const columns = slotShares(layout).reduce((sum, slot) => sum + slot.height - slot.width, 0)
  return columns * Math.sign(width - height)
}

/** Returns the area ratio of the smallest slot to the largest, 0 to 1. */
function evenness(layout: Layout): number {
  const areas = slotShares(layout).map(({ width, height }) => width * height)
  return Math.min(...areas) / Math.max(...areas)
}

/** Returns whether the top left corners of the slots are ordered by row, and from left to right within a row. */
function isInReadingOrder(layout: Layout): boolean {
  const slots = slotShares(layout)
  return slots.every((slot, index) => {
    const before = slots[index - 1]
    if (!before || slot.y > before.y + shareTolerance) return true
    return slot.y > before.y - shareTolerance && slot.x > before.x
  })
}

/** Returns whether the slot of the first clip is at the top left. */
function startsTopLeft(layout: Layout): boolean {
  return slotShares(layout)
    .slice(0, 1)
    .every(({ x, y }) => x < shareTolerance && y < shareTolerance)
}

/**
 * Returns the loss of a layout, 0 to 1. With `cover`, it is the root mean square of the cropped shares of the clips:
 * a plain mean would crop one clip heavily to crop another slightly less. With `contain`, it is the padded share of
 * the result.
 */
export function layoutLoss(
  layout: Layout,
  { aspects, ratio, fit }: Omit<ChooseLayoutOptions, 'seed'>,
): number {
  const areas = slotShares(layout).map(({ width, height }) => width * height)
  const lostShares = slotAspects(layout, ratio).map((slotAspect, index) => {
    const aspect = aspects[index] ?? 1
    return 1 - Math.min(slotAspect / aspect, aspect / slotAspect)
  })
  if (fit === 'contain') return lostShares.reduce((sum, share, index) => sum + share * (areas[index] ?? 0), 0)
  return Math.sqrt(lostShares.reduce((sum, share) => sum + share ** 2, 0) / lostShares.length)
}

/** Returns the aspect ratios (width / height) of the slots, without gaps. */
function slotAspects(layout: Layout, ratio: OutputRatio): number[] {
  const { width, height } = canvasSize(ratio, '1080p')
  return slotShares(layout).map((slot) => (slot.width * width) / (slot.height * height))
}
