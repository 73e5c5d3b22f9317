import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EditDistances } from './edit-distances.ts'
import { SharedUnits } from './shared-units.ts'

/** The same distances, cell by cell (Sellers 1980). */
function distancesByCells(part: readonly number[], text: readonly number[], skipCost: 0 | 1): number[] {
  let row = Array.from({ length: text.length + 1 }, (_, index) => index * skipCost)
  for (const unit of part) {
    const next = [(row[0] ?? 0) + 1]
    for (const [index, other] of text.entries()) {
      const replaced = (row[index] ?? 0) + (unit === other ? 0 : 1)
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    row = next
  }
  return row
}

/** Sequences with few and with many different units, and three places in them, ascending. */
const sequences = fc
  .record({
    units: fc.integer({ min: 1, max: 9 }).chain((most) => fc.array(fc.nat(most), { maxLength: 260 })),
    places: fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
  })
  .map(({ units, places }) => {
    const [from, to] = places.map((place) => Math.floor(place * units.length)).toSorted((a, b) => a - b)
    return { units, from: from ?? 0, to: to ?? 0 }
  })

test('distances are those of a comparison cell by cell, also when they are computed again', () => {
  fc.assert(
    fc.property(
      fc.array(sequences, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(0, 1),
      (list, skipCost) => {
        const all = list.flatMap(({ units }) => units)
        const distances = new EditDistances(Int32Array.from(all))
        let offset = 0
        for (const { units, from, to } of list) {
          const text = { from: offset + to, to: offset + units.length }
          const found = distances.endDistances({ from: offset + from, to: offset + to }, text, skipCost)
          expect([...found]).toEqual(distancesByCells(units.slice(from, to), units.slice(to), skipCost))
          offset += units.length
        }
      },
    ),
  )
})

test('shared units are counted as often as both ranges contain them', () => {
  fc.assert(
    fc.property(sequences, fc.integer({ min: 1, max: 9 }), ({ units, from }, step) => {
      const shared = new SharedUnits(Int32Array.from(units))
      for (const start of [from, Math.min(units.length, from + step)]) {
        shared.reset(start)
        for (let to = start + 1; to < units.length; to += step) {
          const end = Math.min(units.length, to + 2 * (to - start))
          const rest = units.slice(to, end)
          const count = units.slice(start, to).filter((unit) => {
            const at = rest.indexOf(unit)
            if (at >= 0) rest.splice(at, 1)
            return at >= 0
          }).length
          expect(shared.extend(to, end)).toBe(count)
        }
      }
    }),
  )
})
