import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FileStore } from '../../src/files/store.ts'
import { hashOf } from '../http/chunked-upload-client.ts'

/** Tests for every file store. `open` opens an empty store, or the existing one of the same folder. */
export function testFileStoreProperties(open: (folder: string) => Promise<FileStore>): void {
  let folder: string
  let store: FileStore
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reelwright-store-'))
    store = await open(join(folder, 'store'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const listStored = async () => {
    const entries: { blake3: string; size: number }[] = []
    for await (const bytes of store.list()) entries.push(bytes)
    return entries.toSorted((a, b) => a.blake3.localeCompare(b.blake3))
  }
  const listLeftovers = async () => {
    const names = await readdir(join(folder, 'store'), { recursive: true, withFileTypes: true })
    const known = new Set((await listStored()).map(({ blake3 }) => blake3))
    return names.filter((entry) => entry.isFile() && !known.has(entry.name)).map((entry) => entry.name)
  }

  test('stored content can be read whole and in ranges by its hash', async () => {
    const bytes = await store.put(source('some ', 'bytes'), 10)
    expect(bytes).toEqual({ blake3: await hashOf('some bytes'), size: 10 })
    expect(await text(await store.read(bytes.blake3))).toBe('some bytes')
    expect(await text(await store.read(bytes.blake3, { start: 2, end: 5 }))).toBe('me b')
    expect(await listStored()).toEqual([bytes])
    expect(await store.has(bytes.blake3)).toBe(true)
    expect(await store.has(await hashOf('other bytes'))).toBe(false)
    const again = await open(join(folder, 'store'))
    expect(await text(await again.read(bytes.blake3))).toBe('some bytes')
  })

  test('equal content is stored once, also when put and adopted concurrently', async () => {
    const path = join(folder, 'result')
    await writeFile(path, 'the same')
    const puts = Array.from({ length: 8 }, () => store.put(source('the', ' same'), 100))
    const all = await Promise.all([...puts, store.adopt(path)])
    expect(new Set(all.map(({ blake3: name }) => name)).size).toBe(1)
    expect(await listStored()).toHaveLength(1)
    expect(await listLeftovers()).toEqual([])
  })

  test('an empty, too long or failing source leaves nothing', async () => {
    await expect(store.put(source(), 10)).rejects.toMatchObject({ code: 6011 })
    await expect(store.put(source('', ''), 10)).rejects.toMatchObject({ code: 6011 })
    await expect(store.put(source('12345', '678901'), 10)).rejects.toMatchObject({ code: 6002 })
    await expect(store.put(broken(), 10)).rejects.toThrow('broke off')
    await expect(store.adopt(join(folder, 'nothing'))).rejects.toThrow('ENOENT')
    expect(await listStored()).toEqual([])
    expect(await listLeftovers()).toEqual([])
  })

  test('adopted files are moved', async () => {
    const path = join(folder, 'result.mp4')
    await writeFile(path, 'a result')
    const bytes = await store.adopt(path)
    expect(bytes).toEqual({ blake3: await hashOf('a result'), size: 8 })
    await expect(stat(path)).rejects.toThrow('ENOENT')
    expect(await text(await store.read(bytes.blake3))).toBe('a result')
  })

  test('staged and temporary paths stay readable after the content is removed', async () => {
    const { blake3: name } = await store.put(source('some bytes'), 100)
    const path = join(folder, 'input.mp4')
    await store.stage(name, path)
    const localCopy = await store.withLocalPath({ blake3: name, ext: '.mov' }, async (at) => {
      expect(at).toMatch(/\.mov$/)
      return { at, content: await readFile(at, 'utf8') }
    })
    expect(localCopy.content).toBe('some bytes')
    await expect(stat(localCopy.at)).rejects.toThrow('ENOENT')
    await store.remove(name)
    await store.remove(name)
    expect(await readFile(path, 'utf8')).toBe('some bytes')
    expect(await listStored()).toEqual([])
    await rm(path)
    await expect(store.withLocalPath({ blake3: name, ext: '' }, async () => 0)).rejects.toMatchObject({
      code: 6004,
    })
    await expect(store.stage(name, path)).rejects.toMatchObject({ code: 6004 })
  })

  test('a temporary path is removed after a failure', async () => {
    const bytes = await store.put(source('some bytes'), 100)
    await expect(
      store.withLocalPath({ ...bytes, ext: '.mov' }, () => Promise.reject(new Error('seen enough'))),
    ).rejects.toThrow('seen enough')
    expect(await listLeftovers()).toEqual([])
  })

  test('reading missing content rejects before any byte', async () => {
    await expect(store.read('0'.repeat(64))).rejects.toThrow('ENOENT')
  })

  test('recovery removes only remains of interrupted writes', async () => {
    const bytes = await store.put(source('some bytes'), 100)
    const interrupted = Promise.withResolvers<never>()
    interrupted.promise.catch(() => undefined)
    const pendingPut = store.put(endless(interrupted.promise), 100)
    await expect.poll(listLeftovers).toHaveLength(1)
    const again = await open(join(folder, 'store'))
    await again.recover()
    expect(await listLeftovers()).toEqual([])
    expect(await listStored()).toEqual([bytes])
    interrupted.reject(new Error('broke off'))
    await expect(pendingPut).rejects.toThrow('broke off')
  })

  describe('a chunked upload', () => {
    const size = 25
    const content = 'aaaaaaaaaabbbbbbbbbbccccc'
    const partRange = (index: number) => ({ offset: index * 10, size: Math.min(10, size - index * 10) })
    const partOf = (index: number) => content.slice(index * 10, index * 10 + 10)
    const put = (index: number, bytes = partOf(index), beforeOverwrite?: () => Promise<void>) =>
      store.putPart('1', { ...partRange(index), beforeOverwrite }, source(bytes))
    const putAll = () => Promise.all([2, 0, 1].map((index) => put(index)))
    const uploads = async () => {
      const entries: string[] = []
      for await (const upload of store.listUploads()) entries.push(upload)
      return entries
    }

    test('consists of its parts in any order, which stay until discarded', async () => {
      await putAll()
      expect(await listStored()).toEqual([])
      const bytes = await store.assemble('1', { size, blake3: await hashOf(content) })
      expect(bytes).toEqual({ blake3: await hashOf(content), size })
      expect(await listStored()).toEqual([bytes])
      expect(await store.assemble('1', { size, blake3: null })).toEqual(bytes)
      await store.discard('1')
      await store.discard('1')
      expect(await uploads()).toEqual([])
      expect(await listLeftovers()).toEqual([])
      expect(await text(await store.read(bytes.blake3))).toBe(content)
    })

    test('resumes after the store is reopened; recovery keeps its parts', async () => {
      await put(1)
      await put(2)
      store = await open(join(folder, 'store'))
      await store.recover()
      expect(await uploads()).toEqual(['1'])
      await put(0)
      expect(await store.assemble('1', { size, blake3: null })).toEqual({
        blake3: await hashOf(content),
        size,
      })
    })

    test('with equal content is stored once', async () => {
      const bytes = await store.put(source(content), 100)
      await putAll()
      expect(await store.assemble('1', { size, blake3: null })).toEqual(bytes)
      await store.discard('1')
      expect(await listStored()).toEqual([bytes])
      expect(await text(await store.read(bytes.blake3))).toBe(content)
    })

    test('rejects a part of another length without damage to its neighbours', async () => {
      await putAll()
      for (const bytes of ['', 'x'.repeat(9), 'x'.repeat(11), 'x'.repeat(700_000)]) {
        await expect(put(0, bytes)).rejects.toMatchObject({ code: 6025 })
      }
      await put(0)
      expect(await store.assemble('1', { size, blake3: null })).toMatchObject({
        blake3: await hashOf(content),
      })
    })

    test('overwrites a stored part only with different bytes', async () => {
      await putAll()
      const overwritten: string[] = []
      const beforeOverwrite = async () => void overwritten.push('up')
      await put(1, partOf(1), beforeOverwrite)
      const partial = broken(partOf(1).slice(0, 5))
      await expect(store.putPart('1', { ...partRange(1), beforeOverwrite }, partial)).rejects.toThrow(
        'broke off',
      )
      expect(overwritten).toEqual([])
      expect(await store.assemble('1', { size, blake3: null })).toMatchObject({
        blake3: await hashOf(content),
      })
    })

    test('asks before overwriting a part, and a rejection keeps it', async () => {
      await putAll()
      const rejectedPut = put(1, 'BBBBBBBBBB', () => Promise.reject(new Error('not now')))
      await expect(rejectedPut).rejects.toThrow('not now')
      await expect(store.assemble('1', { size, blake3: '0'.repeat(64) })).rejects.toMatchObject({
        code: 6026,
        retryable: false,
      })
      await put(1, 'BBBBBBBBBB', async () => undefined)
      const changed = content.replaceAll('b', 'B')
      const bytes = await store.assemble('1', { size, blake3: await hashOf(changed) })
      expect(await text(await store.read(bytes.blake3))).toBe(changed)
    })

    test('is rejected when its size differs', async () => {
      await put(0)
      await expect(store.assemble('1', { size, blake3: null })).rejects.toMatchObject({ code: 6028 })
      await expect(store.assemble('2', { size, blake3: null })).rejects.toMatchObject({ code: 6028 })
      expect(await listStored()).toEqual([])
      expect(await uploads()).toEqual(['1'])
    })

    test('cannot be changed after it was assembled', async () => {
      await putAll()
      const bytes = await store.assemble('1', { size, blake3: null })
      const beforeOverwrite = async () => expect.unreachable('nothing is overwritten')
      await put(0, partOf(0), beforeOverwrite)
      await expect(put(0, 'AAAAAAAAAA', beforeOverwrite)).rejects.toMatchObject({ code: 6024 })
      await expect(put(0, 'AAAAAAAAAA')).rejects.toMatchObject({ code: 6024 })
      expect(await text(await store.read(bytes.blake3))).toBe(content)
    })

    test('aborted during a part leaves nothing', async () => {
      const interrupted = Promise.withResolvers<never>()
      interrupted.promise.catch(() => undefined)
      // Observed from its start, as the removal may end it first.
      const ended = Promise.allSettled([store.putPart('1', partRange(0), endless(interrupted.promise))])
      await expect.poll(uploads).toEqual(['1'])
      await store.discard('1')
      interrupted.reject(new Error('broke off'))
      const message = expect.stringMatching(/broke off|was aborted/) as string
      expect(await ended).toMatchObject([{ status: 'rejected', reason: { message } }])
      expect(await uploads()).toEqual([])
    })

    test('contains the last bytes put at each position, in any order, across reopenings', async () => {
      const step = fc.record({
        index: fc.nat(2),
        letter: fc.constantFrom('a', 'b', 'c'),
        action: fc.constantFrom('put', 'break', 'open'),
        isLocal: fc.boolean(),
      })
      let turn = 0
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const upload = String((turn += 1))
          const stored = new Map<number, string>()
          for (const { index, letter, action, isLocal } of steps) {
            const send = async (bytes: AsyncIterable<Uint8Array>) => {
              const beforeOverwrite = stored.has(index) ? async () => void stored.delete(index) : undefined
              await store.putPart(upload, { ...partRange(index), beforeOverwrite, isLocal }, bytes)
            }
            const bytes = letter.repeat(partRange(index).size)
            if (action === 'open') store = await open(join(folder, 'store'))
            else if (action === 'break') await expect(send(broken())).rejects.toThrow('broke off')
            else await send(source(bytes)).then(() => stored.set(index, bytes))
          }
          for (const index of [0, 1, 2].filter((one) => !stored.has(one))) {
            stored.set(index, partOf(index))
            await store.putPart(upload, { ...partRange(index), isLocal: true }, source(partOf(index)))
          }
          const wholeContent = [0, 1, 2].map((index) => stored.get(index)).join('')
          const bytes = await store.assemble(upload, { size, blake3: await hashOf(wholeContent) })
          expect(await text(await store.read(bytes.blake3))).toBe(wholeContent)
          await store.discard(upload)
        }),
        { numRuns: 60 },
      )
    })
  })
}

async function* source(...chunks: string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

async function* broken(start = '12345'): AsyncGenerator<Uint8Array> {
  yield Buffer.from(start)
  throw new Error('broke off')
}

async function* endless(until: Promise<never>): AsyncGenerator<Uint8Array> {
  yield Buffer.from('12345')
  await until
}

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}
