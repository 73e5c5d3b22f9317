import fc from 'fast-check'
import { expect, test } from 'vitest'
import { spreadPieces } from './spread-pieces.ts'

/** A sound whose samples are their indexes, in chunks. */
function* countedSound(length: number, chunk: number): Generator<Float32Array> {
  for (let from = 0; from < length; from += chunk)
    yield Float32Array.from({ length: Math.min(chunk, length - from) }, (_, at) => from + at)
}

test('pieces of any sound are evenly spread, bounded in number, and unchanged by the chunks', async () => {
  const sizes = fc.record({
    length: fc.integer({ min: 0, max: 3000 }),
    chunk: fc.integer({ min: 1, max: 500 }),
    size: fc.integer({ min: 2, max: 40 }),
    limit: fc.integer({ min: 2, max: 9 }),
  })
  await fc.assert(
    fc.asyncProperty(sizes, async ({ length, chunk, size, limit }) => {
      const options = { size, limit, least: 2 }
      const pieces = await spreadPieces(countedSound(length, chunk), options)
      expect(pieces.length).toBeGreaterThan(0)
      expect(pieces.length).toBeLessThanOrEqual(limit)
      for (const { from, samples } of pieces) {
        const end = Math.min(length, from + size)
        expect([...samples]).toEqual(Array.from({ length: end - from }, (_, at) => from + at))
      }
      const steps = new Set(pieces.slice(1).map(({ from }, at) => from - (pieces[at]?.from ?? 0)))
      expect([pieces[0]?.from, steps.size <= 1]).toEqual([0, true])
      const [step = size] = steps
      // The last piece is at most one step, and a piece that is too short, before the end.
      expect(length - (pieces.at(-1)?.from ?? 0)).toBeLessThan(step + size)
      expect(await spreadPieces(countedSound(length, 7), options)).toEqual(pieces)
    }),
  )
})

test('a rest is a piece where it is long enough, or the whole sound', async () => {
  const lengths = async (length: number) => {
    const pieces = await spreadPieces(countedSound(length, 4), { size: 10, limit: 4, least: 3 })
    return pieces.map(({ samples }) => samples.length)
  }
  expect(await Promise.all([0, 1, 12, 13, 40].map(lengths))).toEqual([
    [0],
    [1],
    [10],
    [10, 3],
    [10, 10, 10, 10],
  ])
})
