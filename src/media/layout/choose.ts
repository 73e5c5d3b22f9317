import { canvasSize } from './canvas.ts'
import type { Ratio } from './canvas.ts'
import { layoutsFor, shares } from './layout.ts'
import type { Layout } from './layout.ts'

/** What an automatic choice depends on, and nothing else. */
export interface Wish {
  /** Width by height of each clip's picture, after its crop. */
  readonly aspects: readonly number[]
  readonly ratio: Ratio
  readonly fit: 'cover' | 'contain'
  /** 0 to 2147483647: counts through the places of the best layout (its crop-equivalent group), by rising id. */
  readonly seed: number
}

/** A slot's longer side is at most this many times its shorter one in layouts that are offered by themselves. */
const longestSlot = 3.6

const kept = new Map<string, readonly Layout[]>()

/** Losses closer than this are equal: rounding of sums. */
const rounding = 1e-9

/** The layouts offered for a number of clips and a shape of the result: those without slivers. */
export function offered(clips: number, ratio: Ratio): readonly Layout[] {
  const key = `${clips} ${ratio}`
  const known = kept.get(key)
  if (known) return known
  const layouts = layoutsFor(clips).filter((layout) =>
    aspectsOf(layout, ratio).every((aspect) => Math.max(aspect, 1 / aspect) <= longestSlot),
  )
  kept.set(key, layouts)
  return layouts
}

/**
 * The layout that loses the least: with `cover`, of the clips' pictures to cropping (mean share over the
 * clips); with `contain`, of the result to padding. Of equals the one with the most even slots is taken, and
 * within its crop-equivalent group the seed decides. Measured on the slots without gaps, so that size and gap
 * of the result do not change the choice.
 */
export function chooseLayout(wish: Wish): Layout {
  const layouts = offered(wish.aspects.length, wish.ratio)
  const groups = Map.groupBy(layouts, ({ equivalenceKey }) => equivalenceKey)
  const judged = [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map((first) => ({ group, loss: lossOf(first, wish), evenness: evenness(first) })),
  )
  const least = Math.min(...judged.map(({ loss }) => loss))
  const best = judged
    .filter(({ loss }) => loss <= least + rounding)
    .reduce((one, another) => (another.evenness > one.evenness + rounding ? another : one))
  const chosen = best.group[wish.seed % best.group.length]
  if (!chosen) throw new RangeError(`no layout for ${wish.aspects.length} clips`)
  return chosen
}

/** Area of the smallest slot by that of the largest. */
function evenness(layout: Layout): number {
  const areas = shares(layout).map(({ width, height }) => width * height)
  return Math.min(...areas) / Math.max(...areas)
}

/** What a layout loses, 0 to 1: see chooseLayout. */
export function lossOf(layout: Layout, { aspects, ratio, fit }: Omit<Wish, 'seed'>): number {
  const areas = shares(layout).map(({ width, height }) => width * height)
  return aspectsOf(layout, ratio)
    .map((slot, index) => {
      const clip = aspects[index] ?? 1
      const lost = 1 - Math.min(slot / clip, clip / slot)
      return fit === 'cover' ? lost / aspects.length : lost * (areas[index] ?? 0)
    })
    .reduce((sum, lost) => sum + lost, 0)
}

function aspectsOf(layout: Layout, ratio: Ratio): number[] {
  const { width, height } = canvasSize(ratio, '1080p')
  return shares(layout).map((slot) => (slot.width * width) / (slot.height * height))
}
