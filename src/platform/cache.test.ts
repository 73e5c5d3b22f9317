import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LruByteCache } from './cache.ts'

test('what was used last stays, and never more than fits', () => {
  const uses = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), size: fc.nat(12) }))
  fc.assert(
    fc.property(uses, (list) => {
      const recent = new LruByteCache(20)
      // The same, slowly: the latest use is last.
      let model: { name: string; size: number }[] = []
      for (const { name, size } of list) {
        const found = recent.get(name)
        const known = model.find((one) => one.name === name)
        expect(found?.byteLength).toBe(known?.size)
        model = model.filter((one) => one !== known)
        model.push(known ?? { name, size })
        if (!known) recent.set(name, new Uint8Array(size))
        while (model.reduce((sum, one) => sum + one.size, 0) > 20) model.shift()
      }
    }),
  )
})

test('data that is set again is counted once, and data that never fits is not kept', () => {
  const recent = new LruByteCache(20)
  recent.set('a', new Uint8Array(15))
  recent.set('a', new Uint8Array(5))
  recent.set('b', new Uint8Array(15))
  expect(['a', 'b'].map((name) => recent.get(name)?.byteLength)).toEqual([5, 15])
  recent.set('c', new Uint8Array(21))
  expect(recent.get('c')).toBeUndefined()
})
