import { expect, it } from 'vitest'
import { describeArrangement, plainLayout } from './arrangement.ts'
import { findLayout, slotCounts, slotShares } from './layout.ts'

it('finds equal rows and columns in reading order, where the catalogue has them', () => {
  const ids = (arrangement: 'columns' | 'rows') =>
    slotCounts.flatMap((clips) => plainLayout(clips, arrangement)?.id ?? [])
  expect(ids('rows')).toEqual([200_100, 300_100, 400_200])
  expect(ids('columns')).toEqual([250_100, 350_100, 450_200])
  for (const clips of [2, 3, 4]) {
    const columns = plainLayout(clips, 'columns')
    const slots = columns ? slotShares(columns) : []
    expect(slots.map(({ x }) => Math.round(x * clips))).toEqual(slots.map((_, index) => index))
  }
  expect(plainLayout(1, 'rows')).toBeUndefined()
})

it.each([
  [200_100, '2 rows'],
  [250_101, '2 columns'],
  [400_100, '2 by 2'],
  [600_100, '3 by 2'],
  [600_600, '6 slots'],
  [350_200, '3 slots'],
])('describes layout %i as %s', (id, words) => {
  const layout = findLayout(id)
  expect(layout && describeArrangement(layout)).toBe(words)
})
