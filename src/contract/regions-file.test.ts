import { expect, test } from 'vitest'
import { checkRegions } from './regions-file.ts'

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
  expect(() => checkRegions('a.json', { regions: list, protect_regions: list })).toThrow(
    `a.json is no list of regions: ${told.join('; ')}; what follows was not looked at`,
  )
  expect([...looked]).toEqual([0, 1, 2, 3, 4])
})
