import fc from 'fast-check'
import { expect, it } from 'vitest'
import { limitConcurrency } from './limit-concurrency.ts'

it('never runs more at once, starts in order, and goes on after a failure', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ turns: fc.integer({ min: 1, max: 5 }), fails: fc.boolean() })),
      async (limit, pieces) => {
        const run = limitConcurrency(limit)
        const started: number[] = []
        let running = 0
        let most = 0
        const results = await Promise.allSettled(
          pieces.map(({ turns, fails }, index) =>
            run(async () => {
              started.push(index)
              most = Math.max(most, ++running)
              for (let turn = 0; turn < turns; turn++) await Promise.resolve()
              running -= 1
              if (fails) throw new Error('failed')
              return index
            }),
          ),
        )
        expect(started).toEqual(pieces.map((_, index) => index))
        expect(most).toBe(Math.min(limit, pieces.length))
        expect(results.map(({ status }) => status === 'rejected')).toEqual(pieces.map(({ fails }) => fails))
      },
    ),
  )
})
