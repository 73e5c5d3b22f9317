import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseShots } from './choose-shots.ts'

test('shots are disjoint parts of the video, at most the limit, each with its best frame', () => {
  const options = fc.record({
    contrasts: fc.array(fc.double({ min: 0, max: 128, noNaN: true }), { maxLength: 200 }),
    changes: fc
      .uniqueArray(fc.integer({ min: 0, max: 220 }), { maxLength: 20 })
      .map((frames) => frames.toSorted((one, other) => one - other)),
    perSecond: fc.constantFrom(10, 25, 60),
    limit: fc.integer({ min: 1, max: 5 }),
  })
  fc.assert(
    fc.property(options, (given) => {
      const shots = chooseShots(given)
      expect(shots.length > 0).toBe(given.contrasts.length > 0)
      expect(shots.length).toBeLessThanOrEqual(given.limit)
      for (const { first, end, best } of shots) {
        expect(first <= best && best < end && end <= given.contrasts.length).toBe(true)
        expect(shots.filter((other) => other.first < end && first < other.end)).toHaveLength(1)
      }
    }),
  )
})

test('a black opening and a flash are not the best shot', () => {
  const contrasts = [
    ...Array<number>(50).fill(0),
    ...Array<number>(3).fill(90),
    ...Array<number>(100).fill(40),
  ]
  const [best, other] = chooseShots({ contrasts, changes: [50, 53], perSecond: 25, limit: 9 })
  expect(best).toMatchObject({ first: 53, end: 153 })
  expect(other).toMatchObject({ first: 0, end: 50 })
})
