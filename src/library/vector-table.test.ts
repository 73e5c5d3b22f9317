import fc from 'fast-check'
import { expect, test } from 'vitest'
import { VectorTable } from './vector-table.ts'

/** Pseudo-random vector of length 1, of normally distributed numbers (xorshift, Box-Muller). */
function randomVector(seed: number): Float32Array {
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1
  const next = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return ((state >>> 0) + 1) / 2 ** 32
  }
  const values = new Float32Array(1024)
  for (let index = 0; index < 1024; index += 1)
    values[index] = Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next())
  const length = Math.hypot(...values)
  return values.map((value) => value / length)
}

function cosine(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)
}

test('cosines of the scan are within 0.01 of the exact ones, and equal those of single materials', () => {
  const table = new VectorTable()
  const vectors = Array.from({ length: 5000 }, (_, id) => randomVector(id))
  for (const [id, vector] of vectors.entries()) table.add({ id, part: id % 3 }, vector)
  const query = randomVector(99_999)
  const scanned = table.nearest(query, 5000)
  expect(scanned).toHaveLength(5000)
  for (const { id, part, cosine: approximate } of scanned) {
    expect(part).toBe(id % 3)
    expect(Math.abs(approximate - cosine(query, vectors[id] ?? query))).toBeLessThan(0.01)
  }
  expect(table.cosines(query, [7, 4500])).toEqual([7, 4500].map((id) => scanned.find((one) => one.id === id)))
  const cosines = scanned.map((one) => one.cosine)
  expect(cosines).toEqual(cosines.toSorted((one, other) => other - one))
  expect(table.nearest(query, 20)).toEqual(scanned.slice(0, 20))
  expect(table.nearest(vectors[42] ?? query, 1)).toMatchObject([{ id: 42 }])
})

test('a table after any additions and removals equals a new one of what remains', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.boolean()), { maxLength: 60 })
  const query = randomVector(5)
  fc.assert(
    fc.property(steps, (list) => {
      const table = new VectorTable()
      const kept = new Map<number, number>()
      for (const [id, isRemoval] of list) {
        if (isRemoval) {
          table.remove(id)
          kept.delete(id)
        } else {
          const part = kept.get(id) ?? 0
          table.add({ id, part }, randomVector(100 * id + part))
          kept.set(id, part + 1)
        }
      }
      const other = new VectorTable()
      for (const [id, parts] of kept)
        for (let part = 0; part < parts; part += 1) other.add({ id, part }, randomVector(100 * id + part))
      expect(table.size).toBe(other.size)
      expect(table.nearest(query, 99)).toEqual(other.nearest(query, 99))
    }),
    { numRuns: 30 },
  )
})
