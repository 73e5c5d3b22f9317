import { expect, test } from 'vitest'
import { validateRegions } from './regions.ts'

test('of very many entries that are wrong five issues are told, and the rest is not looked at', () => {
  const looked = new Set<number>()
  const list = Array.from({ length: 50_000 }, (_, index) => ({
    get x() {
      looked.add(index)
      return -1
    },
    ...{ y: 0, w: 0.1, h: 0.1 },
  }))
  const told = [0, 1, 2, 3, 4].map((index) => `regions[${index}].x (#${index + 1}): at least 0, -1 given`)
  expect(() => validateRegions('a.json', { regions: list, protect_regions: list })).toThrow(
    `a.json is not a valid list of regions: ${told.join('; ')}; the rest was not checked`,
  )
  expect([...looked]).toEqual([0, 1, 2, 3, 4])
})

const box = { x: 0, y: 0, w: 0.1, h: 0.1 }
const wrong = { ...box, x: -1 }
const times = (count: number, entry: object) => Array.from({ length: count }, () => entry)

test.each<[string, object, RegExp]>([
  ['the last is wrong', { regions: times(5, wrong) }, /regions\[4\]\.x \(#5\): at least 0, -1 given$/],
  [
    'ids are repeated',
    { regions: times(6, { ...box, id: 'a' }) },
    /regions\[5\]\.id \(a\): "a" is used twice$/,
  ],
  [
    'ids are repeated more often than is told',
    { regions: times(8, { ...box, id: 'a' }) },
    /regions\[5\]\.id \(a\): "a" is used twice; and 2 more$/,
  ],
  [
    'another list follows',
    { regions: times(5, wrong), protect_regions: [box] },
    /regions\[4\]\.x [^;]*; the rest was not checked$/,
  ],
])('it is told whether all was looked at, where %s', (_, given, told) => {
  expect(() => validateRegions('a.json', given)).toThrow(told)
})
