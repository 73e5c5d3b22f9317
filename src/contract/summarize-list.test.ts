import { expect, test } from 'vitest'
import { summarizeList } from './summarize-list.ts'

test.each<[string[], string]>([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a; b'],
  [['a', 'b', 'c', 'd'], 'a; b; and 2 more'],
])('of %j two at most: %s', (told, expected) => {
  expect(summarizeList(told, 2)).toBe(expected)
})
