import fc from 'fast-check'
import { expect, it } from 'vitest'
import { tileCanvas } from './split-screen.ts'

const evenSide = fc.integer({ min: 16, max: 2160 }).map((half) => 2 * half)

it('slots fill the canvas from the top to the bottom or from left to right, with even sides', () => {
  fc.assert(
    fc.property(
      evenSide,
      evenSide,
      fc.integer({ min: 1, max: 3 }),
      fc.boolean(),
      (width, height, count, sideBySide) => {
        const slots = tileCanvas({ width, height }, { count, sideBySide })
        const [start, length] = sideBySide ? (['x', 'width'] as const) : (['y', 'height'] as const)
        let end = 0
        for (const slot of slots) {
          expect(slot).toEqual({ x: 0, y: 0, width, height, [start]: end, [length]: slot[length] })
          expect(slot[length] % 2).toBe(0)
          end += slot[length]
        }
        expect([slots.length, end]).toEqual([count, sideBySide ? width : height])
      },
    ),
  )
})
