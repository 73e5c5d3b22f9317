import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { readAtMost, rechunk, TooLargeError } from './streams.ts'

const pieces = fc.array(fc.uint8Array({ maxLength: 20 }))

it('joins what fits, however it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(pieces, async (chunks) => {
      const whole = Buffer.concat(chunks)
      const read = await readAtMost(Readable.from(chunks), whole.length)
      expect(read.equals(whole)).toBe(true)
    }),
  )
})

it('ends the source at the first byte too many, and names the limit', async () => {
  let given = 0
  async function* endless() {
    for (;;) {
      given += 1
      yield Buffer.alloc(10)
    }
  }
  const source = Readable.from(endless(), { objectMode: true, highWaterMark: 1 })
  await expect(readAtMost(source, 25)).rejects.toThrow(new TooLargeError(25))
  expect(source.destroyed).toBe(true)
  expect(given).toBeLessThan(10)
})

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

test('a failing source makes the derived stream fail', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield noise.subarray(0, 10)
    throw new Error('cut')
  }
  await expect(rechunk(broken()).next()).rejects.toThrow('cut')
})
