import { expect, test } from 'vitest'
import { toldFirst } from './told-first.ts'

test.each<[string[], string]>([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a; b'],
  [['a', 'b', 'c', 'd'], 'a; b; and 2 more'],
])('of %j two at most: %s', (told, expected) => {
  expect(toldFirst(told, 2)).toBe(expected)
})
