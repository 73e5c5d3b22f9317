import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { BodyBudget } from './body-budget.ts'

const mebibyte = 2 ** 20

test('reserved bytes never exceed the limits, and all are returned', () => {
  const step = fc.record({
    body: fc.integer({ min: 0, max: 9 }),
    bytes: fc.option(fc.integer({ min: 0, max: 40 * mebibyte }), { nil: null }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const budget = new BodyBudget({ perSender: 32 * mebibyte, total: 64 * mebibyte })
      const bodies = Array.from({ length: 10 }, (_, index) => ({
        sender: index % 4,
        held: 0,
        reservation: budget.open(index % 4),
      }))
      const sum = (sender?: number) =>
        bodies
          .filter((each) => sender === undefined || each.sender === sender)
          .reduce((total, { held }) => total + held, 0)
      for (const { body, bytes } of steps) {
        const each = bodies[body]
        if (!each) continue
        if (bytes === null) {
          each.reservation.release()
          each.held = 0
          continue
        }
        const more = bytes <= 64 * 1024 ? 0 : Math.max(0, bytes - each.held)
        const fits = sum(each.sender) + more <= 32 * mebibyte && sum() + more <= 64 * mebibyte
        if (fits || more === 0) {
          each.reservation.raiseTo(bytes)
          each.held += more
        } else {
          expect(() => each.reservation.raiseTo(bytes)).toThrow(/would exceed (32|64) MiB, the maximum/)
        }
      }
      for (const { reservation } of bodies) reservation.release()
      for (const sender of [0, 1]) budget.open(sender).raiseTo(32 * mebibyte)
    }),
  )
})
