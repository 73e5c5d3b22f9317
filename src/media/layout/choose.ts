import type { OutputRatio } from '../../contract/catalog.ts'
import { canvasSize } from './canvas.ts'
import { layoutsFor, slotShares } from './layout.ts'
import type { Layout } from './layout.ts'

/** What an automatic choice depends on, and nothing else. */
export interface ChooseLayoutOptions {
  /** Width by height of each clip's picture, after its crop. */
  readonly aspects: readonly number[]
  readonly ratio: OutputRatio
  readonly fit: 'cover' | 'contain'
  /** 0 to 2147483647: counts through the places of the best layout (its crop-equivalent group), by rising id. */
  readonly seed: number
}

/** A slot's longer side is at most this many times its shorter one in layouts that are offered by themselves. */
const longestSlot = 3.6

const offeredCache = new Map<string, readonly Layout[]>()

/** Losses closer than this are equal: rounding of sums. */
const lossTolerance = 1e-9

/** The layouts offered for a number of clips and a shape of the result: those without slivers. */
export function offeredLayouts(clips: number, ratio: OutputRatio): readonly Layout[] {
  const key = `${clips} ${ratio}`
  const known = offeredCache.get(key)
  if (known) return known
  const layouts = layoutsFor(clips).filter((layout) => isLayoutOffered(layout, ratio))
  offeredCache.set(key, layouts)
  return layouts
}

/** Tells whether a layout has no slivers in a shape of the result. */
export function isLayoutOffered(layout: Layout, ratio: OutputRatio): boolean {
  return slotAspects(layout, ratio).every((aspect) => Math.max(aspect, 1 / aspect) <= longestSlot)
}

/**
 * The layout that loses the least: with `cover`, of the clips' pictures to cropping (the root mean square of
 * their shares, as a plain mean would ruin one clip to spare another a little); with `contain`, of the result
 * to padding. Measured on the slots without gaps, so that size and gap of the result do not change the choice.
 */
export function chooseLayout(wish: ChooseLayoutOptions): Layout {
  const best = bestLayouts(wish)
  const chosen = best[wish.seed % best.length]
  if (!chosen) throw new RangeError(`no layout for ${wish.aspects.length} clips`)
  return chosen
}

/**
 * The seed to take where nobody gave one: the first from `wish.seed` on whose layout shows the clips in reading
 * order, or at least the first clip top left. Where none does, the seed itself.
 */
export function orderlySeed(wish: ChooseLayoutOptions): number {
  const best = bestLayouts(wish)
  const from = wish.seed % best.length
  const inTurn = [...best.slice(from), ...best.slice(0, from)]
  const steps = [isInReadingOrder, beginsTopLeft].map((holds) => inTurn.findIndex(holds))
  const seed = wish.seed + (steps.find((step) => step >= 0) ?? 0)
  return seed <= largestSeed ? seed : seed - best.length
}

const largestSeed = 2 ** 31 - 1

/** The layouts of the crop-equivalent group that loses least; of equals, of the one with the most even slots. */
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

/** Area of the smallest slot by that of the largest. */
function evenness(layout: Layout): number {
  const areas = slotShares(layout).map(({ width, height }) => width * height)
  return Math.min(...areas) / Math.max(...areas)
}

/** Each clip's top left corner comes after the one before it, by rows, in a row from the left. */
function isInReadingOrder(layout: Layout): boolean {
  const slots = slotShares(layout)
  return slots.every((slot, index) => {
    const before = slots[index - 1]
    if (!before || slot.y > before.y + lossTolerance) return true
    return slot.y > before.y - lossTolerance && slot.x > before.x
  })
}

function beginsTopLeft(layout: Layout): boolean {
  return slotShares(layout)
    .slice(0, 1)
    .every(({ x, y }) => x < lossTolerance && y < lossTolerance)
}

/** What a layout loses, 0 to 1: see chooseLayout. */
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
