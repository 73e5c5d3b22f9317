import { randomBytes } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { rechunk } from './rechunk.ts'

const mebibyte = 2 ** 20
const noise = randomBytes(4 * mebibyte)

async function* cutInto(sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0
  for (const size of sizes) yield noise.subarray(at, (at += size))
}

test('the same bytes come out, all but the last batch full, however they are cut', async () => {
  const sizes = fc.oneof(fc.nat(70_000), fc.nat(2 * mebibyte))
  await fc.assert(
    fc.asyncProperty(fc.array(sizes, { maxLength: 30 }), async (given) => {
      const total = given.reduce((sum, size) => sum + size, 0)
      fc.pre(total <= noise.length)
      const batches: Buffer[] = []
      for await (const batch of rechunk(cutInto(given))) batches.push(Buffer.from(batch))
      expect(Buffer.concat(batches).equals(noise.subarray(0, total))).toBe(true)
      expect(batches.slice(0, -1).every(({ length }) => length === mebibyte)).toBe(true)
      expect(batches.every(({ length }) => length > 0)).toBe(true)
    }),
    { numRuns: 50 },
  )
})

test('a source that fails fails what is made of it', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield noise.subarray(0, 10)
    throw new Error('cut')
  }
  await expect(rechunk(broken()).next()).rejects.toThrow('cut')
})
