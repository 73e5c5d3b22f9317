import { mkdtempDisposable, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeDaemonRecord, readDaemonRecord, removeDaemonRecord } from './record.ts'

const record = { pid: 7, start_time: 'boot/1', port: 1234, key: 'k', version: '1.0.0', instance: 'i' }

const newFolder = () => mkdtempDisposable(join(tmpdir(), 'record-'))

test('an announcement is read back, for its owner alone', async () => {
  await using folder = await newFolder()
  await writeDaemonRecord(folder.path, record)
  expect(await readDaemonRecord(folder.path)).toEqual(record)
  expect((await stat(join(folder.path, 'daemon.json'))).mode & 0o777).toBe(0o600)
})

test('only its own announcement is taken back', async () => {
  await using folder = await newFolder()
  await writeDaemonRecord(folder.path, record)
  await removeDaemonRecord(folder.path, 'another')
  expect(await readDaemonRecord(folder.path)).toEqual(record)
  await removeDaemonRecord(folder.path, record.instance)
  expect(await readDaemonRecord(folder.path)).toBeNull()
})

test.each([
  ['nothing', ''],
  ['half of it', JSON.stringify(record).slice(0, 20)],
  ['no object', '[]'],
  ['a port out of range', JSON.stringify({ ...record, port: 70_000 })],
  ['a pid that is a group', JSON.stringify({ ...record, pid: -1 })],
  ['no key', JSON.stringify({ ...record, key: '' })],
  ['far too much', JSON.stringify({ ...record, more: 'x'.repeat(100_000) })],
])('a file that holds %s announces nobody', async (_, text) => {
  await using folder = await newFolder()
  await writeFile(join(folder.path, 'daemon.json'), text)
  expect(await readDaemonRecord(folder.path)).toBeNull()
})
