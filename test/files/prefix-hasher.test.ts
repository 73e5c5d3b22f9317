import type * as fs from 'node:fs/promises'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { PrefixHasher } from '../../src/files/prefix-hasher.ts'
import { hashOf } from '../http/chunked-upload-client.ts'

const { readCounter } = vi.hoisted(() => ({ readCounter: { bytes: 0 } }))

// Counts bytes read, to detect repeated reads.
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof fs>()
  const counting = async (...openArgs: Parameters<typeof real.open>) => {
    const file = await real.open(...openArgs)
    const read = file.read.bind(file) as (...args: unknown[]) => Promise<{ bytesRead: number }>
    return Object.assign(file, {
      async read(...args: unknown[]) {
        const result = await read(...args)
        readCounter.bytes += result.bytesRead
        return result
      },
    })
  }
  return { ...real, open: counting }
})

const partSize = 1000

let folder: string
let path: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelwright-frontier-'))
  path = join(folder, 'parts')
})
afterAll(() => rm(folder, { recursive: true, force: true }))
beforeEach(async () => {
  await writeFile(path, '')
  readCounter.bytes = 0
})

/** Writes a part as the store does. */
async function put(hasher: PrefixHasher, { index, bytes }: { index: number; bytes: Buffer }): Promise<void> {
  const range = { offset: index * partSize, size: bytes.length }
  hasher.changing(range)
  await using file = await open(path, 'r+')
  await file.write(bytes, 0, bytes.length, range.offset)
  hasher.stored(range)
}

/** A part whose bytes identify its index and version. */
const bytesOf = (index: number, version: number, size = partSize) =>
  Buffer.alloc(size, `${index}.${version};`)

test('parts in any order, repeated or replaced: the hash is that of the file, and unchanged parts are read once', async () => {
  const orders = fc.integer({ min: 1, max: 12 }).chain((parts) =>
    fc.record({
      last: fc.integer({ min: 1, max: partSize }),
      // Every part at least once, others in between.
      order: fc
        .tuple(
          fc.shuffledSubarray([...Array(parts).keys()], { minLength: parts }),
          fc.array(fc.tuple(fc.nat(parts - 1), fc.nat(2), fc.nat(20)), { maxLength: 8 }),
        )
        .map(([all, more]) => {
          const puts = all.map((index) => ({ index, version: 0 }))
          for (const [index, version, at] of more) puts.splice(at % (puts.length + 1), 0, { index, version })
          return puts
        }),
      waits: fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }),
      parts: fc.constant(parts),
    }),
  )
  await fc.assert(
    fc.asyncProperty(orders, async ({ parts, last, order, waits }) => {
      await writeFile(path, '')
      readCounter.bytes = 0
      const hasher = new PrefixHasher(path)
      const size = (parts - 1) * partSize + last
      const wholeBytes = Buffer.alloc(size)
      for (const [turn, { index, version }] of order.entries()) {
        const bytes = bytesOf(index, version, index === parts - 1 ? last : partSize)
        bytes.copy(wholeBytes, index * partSize)
        await put(hasher, { index, bytes })
        // Sometimes the hash is ahead, sometimes the next part.
        if (waits[turn]) await new Promise((resolve) => setImmediate(resolve))
      }
      expect(await hasher.digest(size)).toBe(await hashOf(wholeBytes))
      expect(await hasher.digest(size)).toBe(await hashOf(wholeBytes))
      if (order.length === parts) expect(readCounter.bytes).toBe(size)
    }),
    { numRuns: 300 },
  )
})

test('parts from before are read by digest', async () => {
  const wholeBytes = Buffer.concat([bytesOf(0, 0), bytesOf(1, 0), bytesOf(2, 0)])
  await writeFile(path, wholeBytes)
  const hasher = new PrefixHasher(path)
  await put(hasher, { index: 2, bytes: bytesOf(2, 0) })
  expect(await hasher.digest(3 * partSize)).toBe(await hashOf(wholeBytes))
  await put(hasher, { index: 1, bytes: bytesOf(1, 1) })
  const changed = Buffer.concat([bytesOf(0, 0), bytesOf(1, 1), bytesOf(2, 0)])
  expect(await hasher.digest(3 * partSize)).toBe(await hashOf(changed))
})

test('a file shorter than its parts is reported by digest', async () => {
  const hasher = new PrefixHasher(path)
  hasher.stored({ offset: 0, size: partSize })
  await expect(hasher.digest(partSize)).rejects.toThrow('ends at 0')
  await put(hasher, { index: 0, bytes: bytesOf(0, 0) })
  expect(await hasher.digest(partSize)).toBe(await hashOf(bytesOf(0, 0)))
})

/** Writes a local part as the store does: in pieces that are hashed from memory. Fails after `failAfter` pieces. */
async function putLocal(
  hasher: PrefixHasher,
  { index, bytes, failAfter }: { index: number; bytes: Buffer; failAfter?: number | undefined },
): Promise<void> {
  const range = { offset: index * partSize, size: bytes.length }
  hasher.changing(range)
  const hash = await hasher.whileWriting(range)
  await using file = await open(path, 'r+')
  const pieceSize = 300
  for (let at = 0; at < bytes.length; at += pieceSize) {
    if (at / pieceSize === failAfter) return hasher.changing(range)
    const piece = bytes.subarray(at, at + pieceSize)
    await file.write(piece, 0, piece.length, range.offset + at)
    hash?.(piece)
  }
  hasher.stored(range)
}

test('parts hashed while they are written are not read back', async () => {
  const hasher = new PrefixHasher(path)
  const wholeBytes = Buffer.concat([0, 1, 2, 3].map((index) => bytesOf(index, 0)))
  for (const index of [0, 1, 2, 3]) await putLocal(hasher, { index, bytes: bytesOf(index, 0) })
  expect(await hasher.digest(4 * partSize)).toBe(await hashOf(wholeBytes))
  expect(readCounter.bytes).toBe(0)
})

test('local and other parts in any order, replaced or failing: the hash is that of the file', async () => {
  const parts = 5
  const step = fc.record({
    index: fc.nat(parts - 1),
    version: fc.nat(2),
    isLocal: fc.boolean(),
    failAfter: fc.option(fc.nat(3), { nil: undefined }),
    wait: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      await writeFile(path, '')
      const hasher = new PrefixHasher(path)
      const versions = new Map<number, number>()
      for (const { index, version, isLocal, failAfter, wait } of steps) {
        const part = { index, bytes: bytesOf(index, version) }
        await (isLocal ? putLocal(hasher, { ...part, failAfter }) : put(hasher, part))
        if (isLocal && failAfter !== undefined) versions.delete(index)
        else versions.set(index, version)
        if (wait) await new Promise((resolve) => setImmediate(resolve))
      }
      const all = [...Array(parts).keys()]
      for (const index of all.filter((one) => !versions.has(one))) {
        await putLocal(hasher, { index, bytes: bytesOf(index, 0) })
      }
      const wholeBytes = Buffer.concat(all.map((index) => bytesOf(index, versions.get(index) ?? 0)))
      expect(await hasher.digest(wholeBytes.length)).toBe(await hashOf(wholeBytes))
    }),
    { numRuns: 300 },
  )
})
