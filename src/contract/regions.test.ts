import { expect, test } from 'vitest'
import { validateRegions } from './regions.ts'

test('five issues are reported, and later entries are not read', () => {
  const readIndexes = new Set<number>()
  const list = Array.from({ length: 50_000 }, (_, index) => ({
    get x() {
      readIndexes.add(index)
      return -1
    },
    ...{ y: 0, w: 0.1, h: 0.1 },
  }))
  const issues = [0, 1, 2, 3, 4].map((index) => `regions[${index}].x (#${index + 1}): at least 0, -1 given`)
  expect(() => validateRegions('a.json', { regions: list, protect_regions: list })).toThrow(
    `a.json is not a valid list of regions: ${issues.join('; ')}; the rest was not checked`,
  )
  expect([...readIndexes]).toEqual([0, 1, 2, 3, 4])
})

const box = { x: 0, y: 0, w: 0.1, h: 0.1 }
const invalid = { ...box, x: -1 }
const times = (count: number, entry: object) => Array.from({ length: count }, () => entry)

test.each<[string, object, RegExp]>([
  [
    'the last entry is invalid',
    { regions: times(5, invalid) },
    /regions\[4\]\.x \(#5\): at least 0, -1 given$/,
  ],
  [
    'ids are repeated',
    { regions: times(6, { ...box, id: 'a' }) },
    /regions\[5\]\.id \(a\): "a" is used twice$/,
  ],
  [
    'more ids are repeated than are reported',
    { regions: times(8, { ...box, id: 'a' }) },
    /regions\[5\]\.id \(a\): "a" is used twice; and 2 more$/,
  ],
  [
    'a second list follows',
    { regions: times(5, invalid), protect_regions: [box] },
    /regions\[4\]\.x [^;]*; the rest was not checked$/,
  ],
])('reports whether all entries were checked: %s', (_, list, expected) => {
  expect(() => validateRegions('a.json', list)).toThrow(expected)
})
