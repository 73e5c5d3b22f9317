import { mkdtempDisposable, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeDaemonRecord, readDaemonRecord, removeDaemonRecord } from './record.ts'

const record = { pid: 7, start_time: 'boot/1', port: 1234, key: 'k', version: '1.0.0', instance: 'i' }

const newFolder = () => mkdtempDisposable(join(tmpdir(), 'record-'))

test('a record can be read back, and only its owner can read the file', async () => {
  await using folder = await newFolder()
  await writeDaemonRecord(folder.path, record)
  expect(await readDaemonRecord(folder.path)).toEqual(record)
  expect((await stat(join(folder.path, 'daemon.json'))).mode & 0o777).toBe(0o600)
})

test('a daemon removes only its own record', async () => {
  await using folder = await newFolder()
  await writeDaemonRecord(folder.path, record)
  await removeDaemonRecord(folder.path, 'another')
  expect(await readDaemonRecord(folder.path)).toEqual(record)
  await removeDaemonRecord(folder.path, record.instance)
  expect(await readDaemonRecord(folder.path)).toBeNull()
})

test.each([
  ['no content', ''],
  ['truncated JSON', JSON.stringify(record).slice(0, 20)],
  ['an array', '[]'],
  ['a port out of range', JSON.stringify({ ...record, port: 70_000 })],
  ['a negative pid', JSON.stringify({ ...record, pid: -1 })],
  ['an empty key', JSON.stringify({ ...record, key: '' })],
  ['more than the size limit', JSON.stringify({ ...record, more: 'x'.repeat(100_000) })],
])('a record file with %s is ignored', async (_, text) => {
  await using folder = await newFolder()
  await writeFile(join(folder.path, 'daemon.json'), text)
  expect(await readDaemonRecord(folder.path)).toBeNull()
})
