import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { outputRatios } from '../../contract/catalog.ts'
import { chooseLayout, layoutLoss, noticeableLoss, offeredLayouts, orderlySeed } from './choose.ts'
import { type Layout, slotShares } from './layout.ts'

describe('the automatic choice of a layout', () => {
  const criteria = fc.record({
    aspects: fc.array(fc.double({ min: 0.2, max: 5, noNaN: true }), { minLength: 2, maxLength: 16 }),
    ratio: fc.constantFrom(...outputRatios),
    fit: fc.constantFrom('cover' as const, 'contain' as const),
    seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  })

  it('has the least loss of all offered layouts to a hundredth, and is repeatable with its seed', () => {
    fc.assert(
      fc.property(criteria, (options) => {
        const chosen = chooseLayout(options)
        const least = Math.min(
          ...offeredLayouts(options.aspects.length, options.ratio).map((layout) =>
            layoutLoss(layout, options),
          ),
        )
        return layoutLoss(chosen, options) <= least + noticeableLoss && chooseLayout(options).id === chosen.id
      }),
      { numRuns: 60 },
    )
  })

  it('stays in one crop-equivalent group for all seeds, and reaches every layout of the group', () => {
    const options = { aspects: [16 / 9, 16 / 9, 9 / 16, 1], ratio: '9:16', fit: 'cover' } as const
    const seeds = Array.from({ length: 64 }, (_, seed) => chooseLayout({ ...options, seed }))
    const [first] = seeds
    const group = offeredLayouts(4, '9:16').filter(
      ({ equivalenceKey }) => equivalenceKey === first?.equivalenceKey,
    )
    expect(group.length).toBeGreaterThan(1)
    expect(new Set(seeds)).toEqual(new Set(group))
  })

  it('selects the plain layout if the clips fit it exactly', () => {
    const choose = (aspect: number, clips: number, ratio: '9:16' | '16:9' | '1:1') =>
      chooseLayout({ aspects: Array<number>(clips).fill(aspect), ratio, fit: 'cover', seed: 0 }).id
    expect(choose(16 / 9, 4, '16:9')).toBe(400_100)
    expect(choose(9 / 16, 9, '9:16')).toBe(900_100)
    expect(choose(9 / 8, 2, '9:16')).toBe(200_100)
    expect(choose(8 / 9, 2, '16:9')).toBe(250_100)
    expect(choose(1, 16, '1:1')).toBe(1_600_100)
  })

  it('divides the longer side if rows and columns crop alike', () => {
    const choose = (aspect: number, clips: number, ratio: '9:16' | '16:9' | '1:1') =>
      (['cover', 'contain'] as const).map(
        (fit) => chooseLayout({ aspects: Array<number>(clips).fill(aspect), ratio, fit, seed: 0 }).id,
      )
    // With contain, slots of 3:1 or 2:1 pad least.
    expect(choose(16 / 9, 2, '16:9')).toEqual([250_100, 250_400])
    expect(choose(9 / 16, 2, '9:16')).toEqual([200_100, 200_400])
    expect(choose(1, 2, '1:1')).toEqual([200_100, 200_300])
    // One clip beside two stacked ones, and one above two; half of the result for the one.
    expect(choose(16 / 9, 3, '16:9')[0]).toBe(350_200)
    expect(choose(9 / 16, 3, '9:16')[0]).toBe(300_200)
  })

  it('does not crop one clip heavily to crop another less', () => {
    const choice = chooseLayout({ aspects: [16 / 9, 16 / 9], ratio: '16:9', fit: 'cover', seed: 0 })
    const [one, other] = slotShares(choice)
    expect(one?.width).toBeCloseTo(other?.width ?? 0)
    expect(one?.height).toBeCloseTo(other?.height ?? 0)
  })

  it('keeps two or three equal clips in reading order with the default seed', () => {
    for (const clips of [2, 3]) {
      for (const ratio of outputRatios) {
        for (let seed = 0; seed < 40; seed += 1) {
          const options = { aspects: Array<number>(clips).fill(16 / 9), ratio, fit: 'cover', seed } as const
          const slots = slotShares(chooseLayout({ ...options, seed: orderlySeed(options) }))
          const sorted = slots.toSorted((one, other) => one.y - other.y || one.x - other.x)
          expect(slots).toEqual(sorted)
        }
      }
    }
  })

  it('selects a valid default seed that shows the first clip top left if any layout of the group does', () => {
    const topLeft = (layout: Layout) =>
      slotShares(layout)
        .slice(0, 1)
        .every(({ x, y }) => x < 1e-9 && y < 1e-9)
    fc.assert(
      fc.property(criteria, (options) => {
        const seed = orderlySeed(options)
        const chosen = chooseLayout({ ...options, seed })
        const group = offeredLayouts(options.aspects.length, options.ratio).filter(
          ({ equivalenceKey }) => equivalenceKey === chosen.equivalenceKey,
        )
        const isValid = Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31
        return isValid && (topLeft(chosen) || !group.some(topLeft))
      }),
      { numRuns: 60, examples: [[{ aspects: [1, 1], ratio: '16:9', fit: 'cover', seed: 2 ** 31 - 1 }]] },
    )
  })

  it('selects even slots if uneven ones crop only a little less', () => {
    // Slots of 3:2 crop 36.5 % of each clip, even ones 36.7 %.
    const choose = (aspect: number, ratio: '9:16' | '16:9') =>
      chooseLayout({ aspects: [aspect, aspect], ratio, fit: 'cover', seed: 0 }).id
    expect([choose(16 / 9, '9:16'), choose(9 / 16, '16:9')]).toEqual([200_100, 250_100])
  })

  it('selects even slots if all layouts have the same loss', () => {
    // Landscape clips in a portrait result span its width, whatever the heights of the rows.
    const choice = chooseLayout({ aspects: [4, 4], ratio: '9:16', fit: 'contain', seed: 0 })
    expect(choice.id).toBe(200_100)
  })
})
