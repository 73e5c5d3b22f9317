import { type FileHandle, mkdtempDisposable, open, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAhead } from './read-ahead.ts'

test('returns the range as far as the file has it, in pieces', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'read-ahead-'))
  const path = join(folder.path, 'file')
  const bytes = Buffer.from(Uint8Array.from({ length: 1000 }, (_, index) => index % 251))
  await writeFile(path, bytes)
  await using file = await open(path)
  const ranges = fc.record({
    offset: fc.nat(1100),
    size: fc.oneof(fc.nat(1100), fc.constant(Infinity)),
    pieceBytes: fc.integer({ min: 1, max: 1100 }),
  })
  await fc.assert(
    fc.asyncProperty(ranges, async (range) => {
      const pieces: Buffer[] = []
      for await (const piece of readAhead(file, range)) pieces.push(Buffer.from(piece))
      const { offset, size, pieceBytes } = range
      expect(Buffer.concat(pieces)).toEqual(bytes.subarray(offset, offset + size))
      for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(pieceBytes)
    }),
    { numRuns: 50 },
  )
})

test('reads the next piece while the present one is used, and reports its failure when it is requested', async () => {
  const reads: number[] = []
  const read = async (piece: Buffer, _: number, length: number, position: number) => {
    reads.push(position)
    if (position === 20) throw new Error('the disk failed')
    piece.fill(position, 0, length)
    return { bytesRead: length }
  }
  const pieces = readAhead({ read } as unknown as FileHandle, { offset: 0, size: 40, pieceBytes: 10 })
  const first = await pieces.next()
  expect(reads).toEqual([0, 10])
  expect([...(first.value ?? [])]).toEqual(Array(10).fill(0))
  const second = await pieces.next()
  expect(reads).toEqual([0, 10, 20])
  expect([...(second.value ?? [])]).toEqual(Array(10).fill(10))
  await expect(pieces.next()).rejects.toThrow('the disk failed')
})
