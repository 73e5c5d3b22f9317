import { expect, it } from 'vitest'
import { processInOrder } from './process-in-order.ts'

/** Jobs that end on request. */
function pieces() {
  const begun: number[] = []
  const ends = new Map<number, PromiseWithResolvers<number>>()
  const endOf = (piece: number) => {
    const end = ends.get(piece) ?? Promise.withResolvers<number>()
    ends.set(piece, end)
    return end
  }
  return {
    begun,
    endOf,
    work: (_: number, piece: number) => {
      begun.push(piece)
      return endOf(piece).promise
    },
  }
}

const nothing = () => {}

it('yields results in order, in whatever order they end', async () => {
  const { work, endOf } = pieces()
  for (const piece of [3, 2, 1, 0]) endOf(piece).resolve(piece * 10)
  const seen: number[] = []
  for await (const result of processInOrder({ count: 4, workers: 2, process: work, abort: nothing }))
    seen.push(result)
  expect(seen).toEqual([0, 10, 20, 30])
})

it('starts only jobs close to the last yielded one', async () => {
  const { work, begun, endOf } = pieces()
  for (let piece = 0; piece < 20; piece += 1) endOf(piece).resolve(piece)
  const results = processInOrder({ count: 20, workers: 2, process: work, abort: nothing })
  await results.next()
  await new Promise(setImmediate)
  expect(begun).toEqual([0, 1, 2])
  await results.next()
  await new Promise(setImmediate)
  expect(begun).toEqual([0, 1, 2, 3])
  await results.return(undefined)
})

it('fails with the first failure and stops jobs in progress', async () => {
  const { work, endOf } = pieces()
  const stop = () => endOf(0).reject(new Error('stopped'))
  const results = processInOrder({ count: 9, workers: 2, process: work, abort: stop })
  endOf(1).reject(new Error('piece 1'))
  await expect(results.next()).rejects.toThrow('piece 1')
})
