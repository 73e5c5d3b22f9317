import { type FileHandle, mkdir, mkdtempDisposable, readdir, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sharedSync, writeDurably, writeAt } from './durable.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a file is replaced atomically with its mode, without leaving a temporary file', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'durable-'))
  const path = join(folder.path, 'state.json')
  await writeDurably(path, 'a longer first content', 0o600)
  await writeDurably(path, Buffer.from('second'), 0o600)
  expect(await readFile(path, 'utf8')).toBe('second')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder.path)).toEqual(['state.json'])
})

test('a failed write leaves the target unchanged and no temporary file', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'durable-'))
  await mkdir(join(folder.path, 'folder', 'inside'), { recursive: true })
  await expect(writeDurably(join(folder.path, 'folder'), 'x')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/)
  expect(await readdir(folder.path)).toEqual(['folder'])
})

test('concurrent writes never mix their contents', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'durable-'))
  const path = join(folder.path, 'state.json')
  const contents = Array.from({ length: 8 }, (_, index) => String(index).repeat(50_000))
  await Promise.all(contents.map((content) => writeDurably(path, content)))
  expect(contents).toContain(await readFile(path, 'utf8'))
  expect(await readdir(folder.path)).toEqual(['state.json'])
})

test('a chunk is written in small writes at once, also after partial ones', async () => {
  const written: { start: number; end: number }[] = []
  const write = async (slice: Uint8Array, at: number, length: number, position: number) => {
    expect(at + length).toBe(slice.byteLength)
    // The system may write less than requested.
    const bytesWritten = Math.min(length, 150_000)
    written.push({ start: position, end: position + bytesWritten })
    expect(length).toBeLessThanOrEqual(256 * 1024)
    return { bytesWritten }
  }
  const size = 2 ** 21 + 1
  await writeAt({ write } as unknown as FileHandle, new Uint8Array(size), 100)
  const inOrder = written.toSorted((one, other) => one.start - other.start)
  expect(inOrder[0]?.start).toBe(100)
  expect(inOrder.at(-1)?.end).toBe(100 + size)
  expect(inOrder.slice(1).map(({ start }) => start)).toEqual(inOrder.slice(0, -1).map(({ end }) => end))
})

test('a write that fails is reported after the others have ended', async () => {
  const other = Promise.withResolvers<{ bytesWritten: number }>()
  const write = async (slice: Uint8Array, _: number, __: number, position: number) => {
    if (position === 0) throw new Error('no space')
    await other.promise
    return { bytesWritten: slice.byteLength }
  }
  let ended = false
  const writing = writeAt({ write } as unknown as FileHandle, new Uint8Array(2 ** 19), 0).finally(
    () => (ended = true),
  )
  writing.catch(() => undefined)
  await turn()
  expect(ended).toBe(false)
  other.resolve({ bytesWritten: 0 })
  await expect(writing).rejects.toThrow('no space')
})

/** Creates a file whose syncs end when the test resolves them. */
function createSlowFile() {
  const syncs: PromiseWithResolvers<void>[] = []
  const datasync = () => {
    const sync = Promise.withResolvers<void>()
    syncs.push(sync)
    return sync.promise
  }
  return { file: { datasync } as FileHandle, syncs }
}

test('requests during a sync wait for the next sync, which serves all of them', async () => {
  const { file, syncs } = createSlowFile()
  const sync = sharedSync()
  const done: string[] = []
  const requestSync = (name: string) => sync(file).then(() => void done.push(name))
  const first = requestSync('first')
  await turn()
  const others = [requestSync('second'), requestSync('third')]
  await turn()
  expect(syncs).toHaveLength(1)
  syncs[0]?.resolve()
  await first
  await turn()
  expect([done, syncs.length]).toEqual([['first'], 2])
  syncs[1]?.resolve()
  await Promise.all(others)
  expect([done, syncs.length]).toEqual([['first', 'second', 'third'], 2])
})

test('a failed sync rejects for its waiting callers, and the next sync runs', async () => {
  const { file, syncs } = createSlowFile()
  const sync = sharedSync()
  const pending = [sync(file), sync(file)]
  await turn()
  const later = sync(file)
  syncs[0]?.reject(new Error('EIO'))
  for (const one of pending) await expect(one).rejects.toThrow('EIO')
  await turn()
  syncs[1]?.resolve()
  await expect(later).resolves.toBeUndefined()
})
