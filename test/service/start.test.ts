import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { api } from './api.ts'
import { startTestService } from './in-process.ts'

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-start-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Files in a folder that this process has open. */
async function openFilesIn(folder: string): Promise<string[]> {
  const names = await readdir('/proc/self/fd')
  const paths = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
  return paths.filter((path) => path.startsWith(folder) && !path.endsWith('/log'))
}

test('a service with another database does not touch the files of a data folder', async () => {
  const dataDir = await dataFolder()
  const first = await startTestService({ dataDir })
  const { data: file } = await api(first).upload('a.txt', 'kept')
  await first.running.close()

  const database = { path: join(dataDir, 'other.sqlite') }
  await expect(startTestService({ dataDir, database })).rejects.toMatchObject({
    code: 6401,
    retryable: false,
  })

  await using again = await startTestService({ dataDir })
  expect(Buffer.from(await api(again).download(file.file_id)).toString()).toBe('kept')
})

test('a port in use is reported, and everything opened is closed', async () => {
  await using first = await startTestService()
  const dataDir = await dataFolder()
  const second = startTestService({ dataDir, port: first.running.port })
  await expect(second).rejects.toMatchObject({
    code: 6401,
    message: expect.stringContaining(String(first.running.port)),
  })
  if (process.platform === 'linux') expect(await openFilesIn(dataDir)).toEqual([])
})

test('a database that cannot be opened is reported', async () => {
  const dataDir = await dataFolder()
  const database = { path: join(dataDir, 'nowhere', 'reelwright.sqlite') }
  await expect(startTestService({ dataDir, database })).rejects.toMatchObject({
    code: 6401,
    retryable: false,
    message: expect.stringMatching(/nowhere\/reelwright\.sqlite cannot be used: unable to open/),
  })
})
