import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { startTimes } from './estimate.ts'

const work = fc.integer({ min: 1, max: 1000 })
const workers = fc.array(fc.oneof(fc.constant(0), work), { minLength: 1, maxLength: 8 })

test('one worker does one task after another', () => {
  expect(startTimes([30], [10, 20])).toEqual([30, 40, 60])
  expect(startTimes([0], [])).toEqual([0])
})

test('no worker rests while a task waits, and none has two', () => {
  fc.assert(
    fc.property(workers, fc.array(work, { maxLength: 30 }), (busy, queue) => {
      const starts = startTimes(busy, queue)
      expect(starts).toEqual(starts.toSorted((one, another) => one - another))
      for (const [index, start] of starts.entries()) {
        const spans = [
          ...busy.map((until) => [0, until] as const),
          ...queue.slice(0, index).map((ms, at) => [starts[at] ?? 0, (starts[at] ?? 0) + ms] as const),
        ]
        const underWay = (moment: number) =>
          spans.filter(([from, to]) => from <= moment && moment < to).length
        expect(underWay(start)).toBeLessThan(busy.length)
        if (start > 0) expect(underWay(start - 1)).toBe(busy.length)
      }
    }),
  )
})
