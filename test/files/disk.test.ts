import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { openDiskStore } from '../../src/files/disk.ts'
import type { StoredBytes } from '../../src/files/store.ts'
import { hashOf } from '../http/chunked-upload-client.ts'
import { testFileStoreProperties } from './file-store-properties.ts'

testFileStoreProperties(openDiskStore)

async function diskFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-disk-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function listStored(folder: string): Promise<StoredBytes[]> {
  const stored: StoredBytes[] = []
  for await (const bytes of (await openDiskStore(folder)).list()) stored.push(bytes)
  return stored
}

test('files of other programs in the store are ignored', async () => {
  const folder = await diskFolder()
  await openDiskStore(folder)
  await writeFile(join(folder, 'blobs', '.DS_Store'), 'a file manager was here')
  expect(await listStored(folder)).toEqual([])
})

test('a content that is removed while the store is listed is left out', async () => {
  const folder = await diskFolder()
  const store = await openDiskStore(folder)
  const blobs = join(folder, 'blobs', 'ab')
  await mkdir(blobs)
  const names = ['ab01', 'ab02', 'ab03']
  for (const name of names) await writeFile(join(blobs, name), 'content')
  const listed: string[] = []
  for await (const { blake3 } of store.list()) {
    listed.push(blake3)
    for (const name of names) if (name !== blake3) await rm(join(blobs, name), { force: true })
  }
  expect(listed).toHaveLength(1)
})

test.skipIf(process.platform === 'win32')('a read-only result is adopted without being root', async () => {
  const folder = await diskFolder()
  const result = join(folder, 'result')
  await writeFile(result, 'a copy of a read-only input')
  await chmod(result, 0o444)
  const isRoot = process.getuid?.() === 0
  const unprivilegedUser = 65_534
  if (isRoot) for (const path of [folder, result]) await chown(path, unprivilegedUser, unprivilegedUser)
  const source = (...path: string[]): string =>
    JSON.stringify(join(import.meta.dirname, '..', '..', 'src', ...path))
  // Root could write to read-only files, so the test drops its privileges, after loading all modules.
  const script = `
    const { openDiskStore } = await import(${source('files', 'disk.ts')})
    const { createHasher } = await import(${source('platform', 'hash.ts')})
    await createHasher()
    if (${isRoot}) { process.setegid(${unprivilegedUser}); process.seteuid(${unprivilegedUser}) }
    const store = await openDiskStore(${JSON.stringify(folder)})
    await store.adopt(${JSON.stringify(result)})`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const stderrOutput = buffer(child.stderr)
  const [code] = (await once(child, 'exit')) as [number]
  expect([code, (await stderrOutput).toString()]).toEqual([0, ''])
  expect(await listStored(folder)).toMatchObject([{ size: 27 }])
})

test('concurrent local parts of an upload are copied one after another', async () => {
  const content = 'aaaaaaaaaabbbbbbbbbbccccc'
  const store = await openDiskStore(await diskFolder())
  let active = 0
  async function* exclusive(bytes: string): AsyncGenerator<Uint8Array> {
    active += 1
    for (const letter of bytes) {
      expect(active).toBe(1)
      yield Buffer.from(letter)
    }
    active -= 1
  }
  const put = (offset: number) => {
    const bytes = content.slice(offset, offset + 10)
    return store.putPart('1', { offset, size: bytes.length, isLocal: true }, exclusive(bytes))
  }
  await Promise.all([10, 0, 20].map(put))
  const whole = { size: content.length, blake3: await hashOf(content) }
  expect(await store.assemble('1', whole)).toEqual(whole)
})
