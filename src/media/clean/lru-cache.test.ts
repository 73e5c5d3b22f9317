import { expect, test } from 'vitest'
import type { Patch } from './frame.ts'
import { PatchCache } from './lru-cache.ts'

/** Three of these fit. */
const large = (): Patch => ({ x: 0, y: 0, width: 4096, height: 2560, mask: new Uint8Array(4096 * 2560) })

test('frequently used entries stay; the least recently used is evicted', () => {
  const recent = new PatchCache()
  const first = recent.add(0, [large()])
  for (let since = 1; since < 6; since += 1) {
    recent.add(since, [large()])
    expect(recent.get(0) === first).toBe(true)
    expect(recent.get(since - 3) !== undefined).toBe(since === 3)
  }
})
