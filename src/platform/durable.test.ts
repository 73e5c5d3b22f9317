import { mkdir, mkdtempDisposable, readFile, readdir, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeDurably } from './durable.ts'

test('a file is replaced as a whole with its mode and leaves no temporary file', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'durable-'))
  const path = join(folder.path, 'state.json')
  await writeDurably(path, 'a longer first content', 0o600)
  await writeDurably(path, Buffer.from('second'), 0o600)
  expect(await readFile(path, 'utf8')).toBe('second')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder.path)).toEqual(['state.json'])
})

test('a failed write leaves what was there and nothing else', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'durable-'))
  await mkdir(join(folder.path, 'taken', 'inside'), { recursive: true })
  await expect(writeDurably(join(folder.path, 'taken'), 'x')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/)
  expect(await readdir(folder.path)).toEqual(['taken'])
})

test('concurrent writers never show a mixture', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'durable-'))
  const path = join(folder.path, 'state.json')
  const contents = Array.from({ length: 8 }, (_, index) => String(index).repeat(50_000))
  await Promise.all(contents.map((content) => writeDurably(path, content)))
  expect(contents).toContain(await readFile(path, 'utf8'))
  expect(await readdir(folder.path)).toEqual(['state.json'])
})
