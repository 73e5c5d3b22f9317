import type { OutputRatio } from '../../contract/catalog.ts'
import { canvasSize } from './canvas.ts'
import { type Layout, layoutsFor, slotShares } from './layout.ts'

/** The complete input of the automatic layout choice. */
export interface ChooseLayoutOptions {
  /** Aspect ratio (width / height) of each clip's picture after its crop. */
  readonly aspects: readonly number[]
  readonly ratio: OutputRatio
  readonly fit: 'cover' | 'contain'
  /** 0 to 2147483647. Selects a variant of the best crop-equivalent group, in ascending order of ids. */
  readonly seed: number
}

/** Maximum aspect ratio of a slot, long side / short side, in automatically offered layouts. */
const maxSlotAspect = 3.6

const offeredCache = new Map<string, readonly Layout[]>()

/** Losses closer than this are equal, because of rounding errors in sums. */
const lossTolerance = 1e-9

/** Returns the layouts offered for a number of clips and an output ratio: those without slivers. */
export function offeredLayouts(clips: number, ratio: OutputRatio): readonly Layout[] {
  const key = `${clips} ${ratio}`
  const known = offeredCache.get(key)
  if (known) return known
  const layouts = layoutsFor(clips).filter((layout) => isLayoutOffered(layout, ratio))
  offeredCache.set(key, layouts)
  return layouts
}

/** Returns whether a layout has no slivers in an output ratio. */
export function isLayoutOffered(layout: Layout, ratio: OutputRatio): boolean {
  return slotAspects(layout, ratio).every((aspect) => Math.max(aspect, 1 / aspect) <= maxSlotAspect)
}

/**
 * Returns the layout with the least loss. With `cover`, the loss is the root mean square of the cropped
 * shares of the clips. A plain mean would ruin one clip to spare another a little. With `contain`, it is the
 * padded share of the result. Slots are measured without gaps, so that the result's size and gap do not
 * affect the choice.
 */
export function chooseLayout(wish: ChooseLayoutOptions): Layout {
  const best = bestLayouts(wish)
  const chosen = best[wish.seed % best.length]
  if (!chosen) throw new RangeError(`no layout for ${wish.aspects.length} clips`)
  return chosen
}

/**
 * Returns the default seed: the first from `wish.seed` on whose layout shows the clips in reading order, or
 * else shows the first clip at the top left. Returns the given seed if no layout qualifies.
 */
export function orderlySeed(wish: ChooseLayoutOptions): number {
  const best = bestLayouts(wish)
  const from = wish.seed % best.length
  const inTurn = [...best.slice(from), ...best.slice(0, from)]
  const steps = [isInReadingOrder, startsTopLeft].map((holds) => inTurn.findIndex(holds))
  const seed = wish.seed + (steps.find((step) => step >= 0) ?? 0)
  return seed <= largestSeed ? seed : seed - best.length
}

const largestSeed = 2 ** 31 - 1

/**
 * Returns the layouts of the crop-equivalent group with the least loss. Of equals, the most even slots win.
 */
function bestLayouts(wish: ChooseLayoutOptions): readonly Layout[] {
  const layouts = offeredLayouts(wish.aspects.length, wish.ratio)
  const groups = Map.groupBy(layouts, ({ equivalenceKey }) => equivalenceKey)
  const judged = [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map((first) => ({ group, loss: layoutLoss(first, wish), evenness: evenness(first) })),
  )
  const least = Math.min(...judged.map(({ loss }) => loss))
  return judged
    .filter(({ loss }) => loss <= least + lossTolerance)
    .reduce((one, another) => (another.evenness > one.evenness + lossTolerance ? another : one)).group
}

/** Returns the area ratio of the smallest slot to the largest, 0 to 1. */
function evenness(layout: Layout): number {
  const areas = slotShares(layout).map(({ width, height }) => width * height)
  return Math.min(...areas) / Math.max(...areas)
}

/** Returns whether the clips' top left corners are in row order, and left to right within a row. */
function isInReadingOrder(layout: Layout): boolean {
  const slots = slotShares(layout)
  return slots.every((slot, index) => {
    const before = slots[index - 1]
    if (!before || slot.y > before.y + lossTolerance) return true
    return slot.y > before.y - lossTolerance && slot.x > before.x
  })
}

function startsTopLeft(layout: Layout): boolean {
  return slotShares(layout)
    .slice(0, 1)
    .every(({ x, y }) => x < lossTolerance && y < lossTolerance)
}

/** Returns the loss of a layout, 0 to 1. See `chooseLayout`. */
export function layoutLoss(
  layout: Layout,
  { aspects, ratio, fit }: Omit<ChooseLayoutOptions, 'seed'>,
): number {
  const areas = slotShares(layout).map(({ width, height }) => width * height)
  const lost = slotAspects(layout, ratio).map((slot, index) => {
    const clip = aspects[index] ?? 1
    return 1 - Math.min(slot / clip, clip / slot)
  })
  if (fit === 'contain') return lost.reduce((sum, share, index) => sum + share * (areas[index] ?? 0), 0)
  return Math.sqrt(lost.reduce((sum, share) => sum + share ** 2, 0) / lost.length)
}

function slotAspects(layout: Layout, ratio: OutputRatio): number[] {
  const { width, height } = canvasSize(ratio, '1080p')
  return slotShares(layout).map((slot) => (slot.width * width) / (slot.height * height))
}
