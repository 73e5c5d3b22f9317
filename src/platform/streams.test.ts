import { randomBytes } from 'node:crypto'
import { PassThrough, Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAtMost, readBatches, rechunk, TooLargeError } from './streams.ts'

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

const largeSizes = fc.array(fc.oneof(fc.nat(70_000), fc.nat(2 * mebibyte)), { maxLength: 30 })

test('readBatches keeps all bytes, fills every batch except the last, and stops the stream once per batch', async () => {
  await fc.assert(
    fc.asyncProperty(largeSizes, fc.boolean(), async (sizes, isSlow) => {
      const total = sizes.reduce((sum, size) => sum + size, 0)
      fc.pre(total <= noise.length)
      const source = Readable.from(split(sizes), { objectMode: false, highWaterMark: 64 * 1024 })
      let pauses = 0
      source.on('pause', () => (pauses += 1))
      const batches: Buffer[] = []
      for await (const batch of readBatches(source)) {
        if (isSlow) await nextTurn()
        batches.push(Buffer.from(batch))
      }
      expect(Buffer.concat(batches).equals(noise.subarray(0, total))).toBe(true)
      expect(batches.slice(0, -1).every(({ length }) => length === 256 * 1024)).toBe(true)
      expect(batches.every(({ length }) => length > 0)).toBe(true)
      expect(pauses).toBeLessThanOrEqual(batches.length + 1)
    }),
    { numRuns: 50 },
  )
})

test('readBatches fails when its source fails or closes early, also while it waits', async () => {
  const broken = new PassThrough()
  const reading = readBatches(broken).next()
  broken.write('some')
  broken.destroy(new Error('cut'))
  await expect(reading).rejects.toThrow('cut')
  const closed = new PassThrough()
  closed.destroy()
  await expect(readBatches(closed).next()).rejects.toThrow('Premature close')
})

test('a caller of readBatches that stops leaves the rest in the stream', async () => {
  const source = new PassThrough({ highWaterMark: mebibyte })
  for (let at = 0; at < mebibyte; at += 65_536) source.write(noise.subarray(at, at + 65_536))
  source.end()
  for await (const batch of readBatches(source)) {
    expect(batch.length).toBe(256 * 1024)
    break
  }
  expect([source.destroyed, source.isPaused(), source.listenerCount('data')]).toEqual([false, true, 0])
})

test('readBatches frees chunks that it has used, unless others share their memory', async () => {
  const sizes = [100_000, 100_000, 100_000]
  const own = sizes.map((size) => Buffer.from(new Uint8Array(size).buffer))
  const shared = new Uint8Array(2000).fill(2)
  const source = Readable.from([...own, shared.subarray(0, 1000)], { objectMode: true })
  const batches = readBatches(source)
  await batches.next()
  expect(own.map(({ byteLength }) => byteLength)).toEqual([0, 0, 100_000])
  await batches.next()
  expect(own.map(({ byteLength }) => byteLength)).toEqual([0, 0, 0])
  expect(shared.byteLength).toBe(2000)
})
