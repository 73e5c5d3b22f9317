import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { findDaemon } from '../../src/daemon/find-or-start.ts'
import { lockDataFolder } from '../../src/daemon/lock.ts'
import { readDaemonRecord } from '../../src/daemon/record.ts'
import { soakSize, sampleCases } from '../soak-size.ts'
import {
  startedChildren,
  findTestDaemon,
  findFromProcess,
  isAlive,
  newDataFolder,
  readRunningRecord,
  startedDaemons,
} from './daemon-fixtures.ts'

vi.setConfig({ testTimeout: 60_000 })

const processes = soakSize(2, 8)

test(`${processes} concurrent processes share one daemon, also after repeated kill -9`, async () => {
  const dataDir = await newDataFolder()
  const rounds = soakSize(2, 4)
  for (let round = 1; round <= rounds; round += 1) {
    const daemons = await Promise.all(Array.from({ length: processes }, () => findFromProcess(dataDir)))
    const [first] = daemons
    expect(new Set(daemons.map(({ instance }) => instance)).size).toBe(1)
    expect(new Set(daemons.map(({ baseUrl, apiKey }) => baseUrl + apiKey)).size).toBe(1)
    const started = await startedDaemons(dataDir)
    expect(started).toHaveLength(round)
    expect(started.at(-1)).toBe(first?.pid)
    process.kill(first?.pid ?? 0, 'SIGKILL')
  }
})

test('a running daemon is reused, without settings of its first client; a process with its recycled pid is not ended', async () => {
  const dataDir = await newDataFolder()
  expect(await findDaemon(dataDir)).toBeNull()
  const first = await findTestDaemon(dataDir)
  expect(await findTestDaemon(dataDir)).toEqual(first)
  const { pid, baseUrl, apiKey } = first
  const record = await readRunningRecord(dataDir)
  expect(record.key).toBe(apiKey)
  expect((await findDaemon(dataDir))?.pid).toBe(pid)
  const response = await fetch(`${baseUrl}/environment`, { headers: { authorization: apiKey } })
  const environment = (await response.json()) as Record<string, string>
  expect(environment['PATH']).toBe(process.env['PATH'])
  expect(environment).not.toHaveProperty('REELWRIGHT_CANARY')
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => isAlive(pid)).toBe(false)
  expect(await findDaemon(dataDir)).toBeNull()
  expect(await startedDaemons(dataDir)).toHaveLength(1)
  const [boot] = record.start_time.split('/')
  const recycled = { ...record, pid: process.ppid, start_time: `${boot}/1` }
  await writeFile(join(dataDir, 'daemon.json'), JSON.stringify(recycled))
  expect((await findTestDaemon(dataDir)).pid).not.toBe(process.ppid)
  expect(await isAlive(process.ppid)).toBe(true)
})

test('the next daemon ends processes left by a killed one', async () => {
  const dataDir = await newDataFolder()
  const { pid } = await findTestDaemon(dataDir, { withChild: true })
  const [child = 0] = await startedChildren(dataDir)
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => isAlive(pid)).toBe(false)
  expect(await isAlive(child)).toBe(true)
  await findTestDaemon(dataDir)
  await expect.poll(() => isAlive(child)).toBe(false)
})

test('a daemon killed before it is recorded is reported, and the next one works', async () => {
  const dataDir = await newDataFolder()
  await expect(findTestDaemon(dataDir, { failpoint: 'daemon-held' })).rejects.toMatchObject({
    code: 6401,
    message: expect.stringContaining('killed'),
  })
  const { pid } = await findTestDaemon(dataDir)
  expect(await startedDaemons(dataDir)).toEqual([pid])
})

/** Ways to end a daemon, each of a daemon that has replaced a record. */
const endings = [
  ['', 'SIGTERM'],
  ['{"pid":', 'SIGTERM'],
  ['[]', 'SIGINT'],
  ['{"pid":"1","port":80}', 'SIGINT'],
] as const

test.each(sampleCases(endings))(
  'a daemon.json of %j is replaced, and %s ends the daemon cleanly',
  async (text, signal) => {
    const dataDir = await newDataFolder()
    await writeFile(join(dataDir, 'daemon.json'), text)
    const { pid } = await findTestDaemon(dataDir)
    expect((await readRunningRecord(dataDir)).pid).toBe(pid)
    process.kill(pid, signal)
    await expect.poll(() => isAlive(pid)).toBe(false)
    expect(await readDaemonRecord(dataDir)).toBeNull()
    expect(await readFile(join(dataDir, 'daemon.log'), 'utf8')).toContain(`"reason":"${signal}"`)
  },
)

test('a newer client replaces an idle older daemon, but not a busy one', async () => {
  const dataDir = await newDataFolder()
  const older = await findTestDaemon(dataDir, { version: '1.2.0' })
  expect(await findTestDaemon(dataDir, { version: '1.1.9' })).toEqual(older)
  const newer = await findTestDaemon(dataDir, { version: '1.10.0', busy: true })
  expect(newer.pid).not.toBe(older.pid)
  await expect.poll(() => isAlive(older.pid)).toBe(false)
  expect(await findTestDaemon(dataDir, { version: '2.0.0' })).toEqual(newer)
  expect(await startedDaemons(dataDir)).toEqual([older.pid, newer.pid])
})

test('an idle daemon exits, and the next client starts another', async () => {
  const dataDir = await newDataFolder()
  const { pid } = await findTestDaemon(dataDir, { idleMs: 300 })
  await expect.poll(() => isAlive(pid)).toBe(false)
  expect(await readDaemonRecord(dataDir)).toBeNull()
  expect((await findTestDaemon(dataDir)).pid).not.toBe(pid)
})

test('after its settings changed, a daemon is replaced once its work is done', async () => {
  const dataDir = await newDataFolder()
  const settings = join(dataDir, 'reelwright.config.json')
  const [{ pid }, busy] = [await findTestDaemon(dataDir), await newDataFolder()]
  const { pid: worker } = await findTestDaemon(busy, { busy: true })
  await Promise.all([settings, join(busy, 'reelwright.config.json')].map((file) => writeFile(file, '{}')))
  await expect.poll(() => isAlive(pid)).toBe(false)
  const next = await findTestDaemon(dataDir)
  expect(next.pid).not.toBe(pid)
  await rm(settings)
  await expect.poll(() => isAlive(next.pid)).toBe(false)
  expect(await isAlive(worker), 'a busy daemon keeps running').toBe(true)
})

test('a failed start is reported with the last log lines of that run only', async () => {
  const dataDir = await newDataFolder()
  await writeFile(join(dataDir, 'daemon.log'), 'an old line\n')
  const failed = findTestDaemon(dataDir, { fails: 'the disk is full' })
  await expect(failed).rejects.toMatchObject({
    code: 6401,
    message: expect.stringMatching(/did not start: it exited at once \(1\)[^]*the disk is full/),
  })
  await expect(failed).rejects.not.toMatchObject({ message: expect.stringContaining('an old line') })
})

test('a slow daemon is reported, and found once it responds', async () => {
  const dataDir = await newDataFolder()
  await expect(findTestDaemon(dataDir, { timeoutMs: 1 })).rejects.toMatchObject({
    code: 6401,
    message: expect.stringContaining('does not respond yet'),
    hint: expect.stringContaining('REELWRIGHT_BASE_URL'),
  })
  await expect.poll(async () => (await readDaemonRecord(dataDir))?.port).toBeGreaterThan(0)
  const { pid } = await findTestDaemon(dataDir)
  expect(await startedDaemons(dataDir)).toEqual([pid])
})

test('a locked data folder whose daemon does not respond is reported with the pid', async () => {
  const dataDir = await newDataFolder()
  const { pid } = await findTestDaemon(dataDir)
  process.kill(pid, 'SIGSTOP')
  await expect(findTestDaemon(dataDir, { timeoutMs: 1000 })).rejects.toMatchObject({
    code: 6401,
    message: expect.stringContaining(`process ${pid}`),
  })
  process.kill(pid, 'SIGCONT')
  expect((await findTestDaemon(dataDir)).pid).toBe(pid)
  // The daemon started meanwhile has exited.
  const log = () => readFile(join(dataDir, 'daemon.log'), 'utf8')
  await expect.poll(log).toContain('another daemon has locked the data folder')
})

test('a data folder locked by `serve` is reported without waiting for a daemon', async () => {
  const dataDir = await newDataFolder()
  using lock = lockDataFolder(dataDir)
  expect(lock).not.toBeNull()
  // Longer than the timeout of the test.
  await expect(findTestDaemon(dataDir, { timeoutMs: 600_000 })).rejects.toMatchObject({
    code: 6401,
    message: `the data folder ${dataDir} is locked by another process, which does not respond`,
    hint: expect.stringMatching(/^Stop that process.*REELWRIGHT_BASE_URL and REELWRIGHT_API_KEY/),
  })
})

test('an unsuitable data folder is rejected with the reason', async () => {
  const parent = await newDataFolder()
  await writeFile(join(parent, 'file'), '')
  const rejection = { code: 6401, retryable: false }
  await expect(findTestDaemon(join(parent, 'file', 'data'))).rejects.toMatchObject(rejection)
  await expect(findTestDaemon(join(parent, 'Dropbox', 'data'))).rejects.toMatchObject({
    ...rejection,
    message: expect.stringContaining('synchronised by Dropbox'),
  })
  await mkdir(join(parent, 'data', 'daemon.log'), { recursive: true })
  await expect(findTestDaemon(join(parent, 'data'))).rejects.toMatchObject({
    code: 6401,
    message: expect.stringContaining('daemon.log cannot be written'),
  })
})

test.skipIf(process.getuid?.() === 0)(
  'a read-only data folder is rejected (root may write anywhere)',
  async () => {
    const dataDir = await newDataFolder()
    await chmod(dataDir, 0o500)
    await expect(findTestDaemon(dataDir)).rejects.toMatchObject({
      code: 6401,
      message: expect.stringContaining('permission denied'),
    })
    await chmod(dataDir, 0o700)
  },
)

test('a large log is rotated at the start, and a failed start still reports its last lines', async () => {
  const dataDir = await newDataFolder()
  const path = join(dataDir, 'daemon.log')
  await writeFile(path, 'an old line\n'.repeat(800_000))
  const failed = findTestDaemon(dataDir, { fails: 'the disk is full' })
  await expect(failed).rejects.toMatchObject({ message: expect.stringContaining('the disk is full') })
  expect((await readFile(path, 'utf8')).length).toBeLessThan(10_000)
  expect((await readFile(`${path}.1`, 'utf8')).startsWith('an old line\n')).toBe(true)
})
