import { expect, test } from 'vitest'
import { LruCache } from './lru-cache.ts'

test('frequently used values stay; the least recently used are evicted until the rest fit', () => {
  const cache = new LruCache<number, Uint8Array>(30, ({ length }) => length)
  const computed: number[] = []
  const get = (key: number, size = 10) =>
    cache.getOrCompute(key, () => {
      computed.push(key)
      return new Uint8Array(size)
    })
  const first = get(0)
  for (const key of [1, 2, 3, 4]) {
    get(key)
    expect(get(0)).toBe(first)
  }
  expect(computed).toEqual([0, 1, 2, 3, 4])
  // 3 and 4 remain beside 0.
  for (const key of [3, 4, 1]) get(key)
  expect(computed).toEqual([0, 1, 2, 3, 4, 1])
  // A value that is too large stays alone.
  get(5, 100)
  get(5, 100)
  get(4)
  expect(computed).toEqual([0, 1, 2, 3, 4, 1, 5, 4])
})

test('without sizes, the number of values is limited', () => {
  const cache = new LruCache<string, object>(2)
  const [one, two] = [{}, {}]
  cache.getOrCompute('one', () => one)
  cache.getOrCompute('two', () => two)
  expect(cache.getOrCompute('one', () => ({}))).toBe(one)
  cache.getOrCompute('three', () => ({}))
  expect(cache.getOrCompute('one', () => ({}))).toBe(one)
  expect(cache.getOrCompute('two', () => ({}))).not.toBe(two)
})
