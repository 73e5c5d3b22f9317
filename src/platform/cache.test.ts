import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LruByteCache } from './cache.ts'

test('keeps the most recently used entries within the byte limit', () => {
  const uses = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), size: fc.nat(12) }))
  fc.assert(
    fc.property(uses, (list) => {
      const cache = new LruByteCache(20)
      // A slow reference implementation; the most recently used entry is last.
      let model: { name: string; size: number }[] = []
      for (const { name, size } of list) {
        const cached = cache.get(name)
        const known = model.find((one) => one.name === name)
        expect(cached?.byteLength).toBe(known?.size)
        model = model.filter((one) => one !== known)
        model.push(known ?? { name, size })
        if (!known) cache.set(name, new Uint8Array(size))
        while (model.reduce((sum, one) => sum + one.size, 0) > 20) model.shift()
      }
    }),
  )
})

test('a replaced entry is counted once, and an entry larger than the limit is not stored', () => {
  const cache = new LruByteCache(20)
  cache.set('a', new Uint8Array(15))
  cache.set('a', new Uint8Array(5))
  cache.set('b', new Uint8Array(15))
  expect(['a', 'b'].map((name) => cache.get(name)?.byteLength)).toEqual([5, 15])
  cache.set('c', new Uint8Array(21))
  expect(cache.get('c')).toBeUndefined()
})
