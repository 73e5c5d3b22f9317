import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { freeAfterUse, readAtMost, rechunk, TooLargeError } from './streams.ts'

const pieces = fc.array(fc.uint8Array({ maxLength: 20 }))

test('readAtMost joins chunks of any size up to the limit', async () => {
  await fc.assert(
    fc.asyncProperty(pieces, async (chunks) => {
      const joined = Buffer.concat(chunks)
      const read = await readAtMost(Readable.from(chunks), joined.length)
      expect(read.equals(joined)).toBe(true)
    }),
  )
})

test('readAtMost destroys the source above the limit, and reports the limit', async () => {
  let yielded = 0
  async function* endless() {
    for (;;) {
      yielded += 1
      yield Buffer.alloc(10)
    }
  }
  const source = Readable.from(endless(), { objectMode: true, highWaterMark: 1 })
  await expect(readAtMost(source, 25)).rejects.toThrow(new TooLargeError(25))
  expect(source.destroyed).toBe(true)
  expect(yielded).toBeLessThan(10)
})

const mebibyte = 2 ** 20
const noise = randomBytes(4 * mebibyte)

async function* split(sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0
  for (const size of sizes) yield noise.subarray(at, (at += size))
}

test('rechunk keeps all bytes, and every batch except the last is full', async () => {
  const sizes = fc.oneof(fc.nat(70_000), fc.nat(2 * mebibyte))
  await fc.assert(
    fc.asyncProperty(fc.array(sizes, { maxLength: 30 }), async (chunkSizes) => {
      const total = chunkSizes.reduce((sum, size) => sum + size, 0)
      fc.pre(total <= noise.length)
      const batches: Buffer[] = []
      for await (const batch of rechunk(split(chunkSizes))) batches.push(Buffer.from(batch))
      expect(Buffer.concat(batches).equals(noise.subarray(0, total))).toBe(true)
      expect(batches.slice(0, -1).every(({ length }) => length === 256 * 1024)).toBe(true)
      expect(batches.every(({ length }) => length > 0)).toBe(true)
    }),
    { numRuns: 50 },
  )
})

test('rechunk fails when its source fails', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield noise.subarray(0, 10)
    throw new Error('cut')
  }
  await expect(rechunk(broken()).next()).rejects.toThrow('cut')
})

test('a used chunk is freed when the next is requested, unless others share its memory', async () => {
  const [own, shared] = [new Uint8Array(1000).fill(1), new Uint8Array(2000).fill(2)]
  const chunks = freeAfterUse(Readable.from([own, shared.subarray(0, 1000)]))
  expect((await chunks.next()).value).toBe(own)
  expect(own.byteLength).toBe(1000)
  await chunks.next()
  expect(own.byteLength).toBe(0)
  await chunks.next()
  expect(shared.byteLength).toBe(2000)
})
