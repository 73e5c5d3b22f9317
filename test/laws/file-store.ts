import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { FileStore } from '../../src/files/store.ts'
import { createHasher } from '../../src/platform/hash.ts'

/** What every file store must keep; `open` gives an empty one, or the same again for the same folder. */
export function fileStoreLaws(open: (folder: string) => Promise<FileStore>): void {
  let folder: string
  let store: FileStore
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reelwright-store-'))
    store = await open(join(folder, 'store'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const held = async () => {
    const found: { blake3: string; size: number }[] = []
    for await (const bytes of store.list()) found.push(bytes)
    return found.toSorted((a, b) => a.blake3.localeCompare(b.blake3))
  }
  const leftovers = async () => {
    const names = await readdir(join(folder, 'store'), { recursive: true, withFileTypes: true })
    const known = new Set((await held()).map(({ blake3 }) => blake3))
    return names.filter((entry) => entry.isFile() && !known.has(entry.name)).map((entry) => entry.name)
  }

  test('what was put can be read whole and in part, and is named by its hash', async () => {
    const bytes = await store.put(source('some ', 'bytes'), 10)
    expect(bytes).toEqual({ blake3: await hashOf('some bytes'), size: 10 })
    expect(await text(await store.read(bytes.blake3))).toBe('some bytes')
    expect(await text(await store.read(bytes.blake3, { start: 2, end: 5 }))).toBe('me b')
    expect(await held()).toEqual([bytes])
    const again = await open(join(folder, 'store'))
    expect(await text(await again.read(bytes.blake3))).toBe('some bytes')
  })

  test('equal bytes are held once, also when they are put and adopted at the same time', async () => {
    const path = join(folder, 'result')
    await writeFile(path, 'the same')
    const puts = Array.from({ length: 8 }, () => store.put(source('the', ' same'), 100))
    const all = await Promise.all([...puts, store.adopt(path)])
    expect(new Set(all.map(({ blake3: name }) => name)).size).toBe(1)
    expect(await held()).toHaveLength(1)
    expect(await leftovers()).toEqual([])
  })

  test('a source that is empty, too long or broken leaves nothing', async () => {
    await expect(store.put(source(), 10)).rejects.toMatchObject({ code: 6011 })
    await expect(store.put(source('', ''), 10)).rejects.toMatchObject({ code: 6011 })
    await expect(store.put(source('12345', '678901'), 10)).rejects.toMatchObject({ code: 6002 })
    await expect(store.put(broken(), 10)).rejects.toThrow('broke off')
    await expect(store.adopt(join(folder, 'nothing'))).rejects.toThrow('ENOENT')
    expect(await held()).toEqual([])
    expect(await leftovers()).toEqual([])
  })

  test('adopted files are taken away from where they were', async () => {
    const path = join(folder, 'result.mp4')
    await writeFile(path, 'a result')
    const bytes = await store.adopt(path)
    expect(bytes).toEqual({ blake3: await hashOf('a result'), size: 8 })
    await expect(stat(path)).rejects.toThrow('ENOENT')
    expect(await text(await store.read(bytes.blake3))).toBe('a result')
  })

  test('staged and lent bytes can be read at a path, and outlive their removal from the store', async () => {
    const { blake3: name } = await store.put(source('some bytes'), 100)
    const path = join(folder, 'input.mp4')
    await store.stage(name, path)
    const lent = await store.lend({ blake3: name, ext: '.mov' }, async (at) => {
      expect(at).toMatch(/\.mov$/)
      return { at, content: await readFile(at, 'utf8') }
    })
    expect(lent.content).toBe('some bytes')
    await expect(stat(lent.at)).rejects.toThrow('ENOENT')
    await store.remove(name)
    await store.remove(name)
    expect(await readFile(path, 'utf8')).toBe('some bytes')
    expect(await held()).toEqual([])
    await rm(path)
    await expect(store.lend({ blake3: name, ext: '' }, async () => 0)).rejects.toThrow('ENOENT')
  })

  test('a loan that fails is given back', async () => {
    const bytes = await store.put(source('some bytes'), 100)
    await expect(
      store.lend({ ...bytes, ext: '.mov' }, () => Promise.reject(new Error('seen enough'))),
    ).rejects.toThrow('seen enough')
    expect(await leftovers()).toEqual([])
  })

  test('reading what is not there rejects before a byte', async () => {
    await expect(store.read('0'.repeat(64))).rejects.toThrow('ENOENT')
  })

  test('recovery removes what interrupted writes left, and nothing else', async () => {
    const bytes = await store.put(source('some bytes'), 100)
    const interrupted = Promise.withResolvers<never>()
    const begun = store.put(endless(interrupted.promise), 100)
    await expect.poll(leftovers).toHaveLength(1)
    const again = await open(join(folder, 'store'))
    await again.recover()
    expect(await leftovers()).toEqual([])
    expect(await held()).toEqual([bytes])
    interrupted.reject(new Error('broke off'))
    await expect(begun).rejects.toThrow('broke off')
  })
}

async function* source(...chunks: string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('12345')
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

async function hashOf(content: string): Promise<string> {
  const hasher = await createHasher()
  hasher.update(Buffer.from(content))
  return hasher.digest()
}
