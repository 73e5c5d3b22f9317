import { expect, test } from 'vitest'
import { describeSize, summarizeList } from './format.ts'

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [1023, '1023 bytes'],
  [1024, '1 KiB'],
  [1536 * 2 ** 10, '1.5 MiB'],
  [20 * 2 ** 30, '20 GiB'],
  [2 ** 55, '32768 TiB'],
])('%d is %s', (bytes, text) => {
  expect(describeSize(bytes)).toBe(text)
})

test.each<[string[], string]>([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a; b'],
  [['a', 'b', 'c', 'd'], 'a; b; and 2 more'],
])('%j, at most two: %s', (items, expected) => {
  expect(summarizeList(items, 2)).toBe(expected)
})
