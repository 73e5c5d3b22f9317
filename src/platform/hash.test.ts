import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHasher, createPortableHasher, hashFile } from './hash.ts'

// From the BLAKE3 specification's test vectors: bytes counting 0 to 250 over and over.
const vectors: readonly (readonly [number, string])[] = [
  [0, 'af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262'],
  [1, '2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213'],
  [1024, '42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7'],
]

const counting = (length: number) => Uint8Array.from({ length }, (_, index) => index % 251)

test.each([
  ['the default', createHasher],
  ['the portable', createPortableHasher],
])('%s hasher returns the published digests', async (_, create) => {
  for (const [length, digest] of vectors) {
    const hasher = await create()
    hasher.update(counting(length))
    expect(hasher.digest()).toBe(digest)
  }
})

test('native and portable hashers agree for any chunks', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 8 }), async (pieces) => {
      const hashers = await Promise.all([createHasher(), createPortableHasher()])
      for (const piece of pieces) hashers[0].update(piece)
      hashers[1].update(Buffer.concat(pieces))
      expect(hashers[0].digest()).toBe(hashers[1].digest())
    }),
    { numRuns: 50 },
  )
})

test('hashFile hashes the whole file', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'hash-'))
  const path = join(folder.path, 'file')
  const bytes = counting(2 ** 21 + 7)
  await writeFile(path, bytes)
  const hasher = await createHasher()
  hasher.update(bytes)
  expect(await hashFile(path)).toBe(hasher.digest())
})

test('hashing stops when aborted', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'hash-'))
  const path = join(folder.path, 'file')
  await writeFile(path, counting(2 ** 22))
  const stop = new AbortController()
  const hashing = hashFile(path, { signal: stop.signal })
  stop.abort(new Error('enough'))
  await expect(hashing).rejects.toThrow('enough')
})
