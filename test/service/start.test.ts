import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newKey } from '../../src/accounts/keys.ts'
import { openLog } from '../../src/platform/log.ts'
import { startService, type RunningService } from '../../src/service.ts'
import { api } from './api.ts'
import { fakeModule } from './fake-operation.ts'

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-start-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function start(dataDir: string, options: { databaseFile?: string; port?: number } = {}) {
  const key = newKey()
  const running: RunningService = await startService({
    operations: [fakeModule],
    dataDir,
    version: '0.0.0-test',
    instance: 'test',
    key,
    exitIfIdle: async () => false,
    worker: { module: join(import.meta.dirname, 'entry.ts'), args: ['worker'] },
    log: openLog({ file: join(dataDir, 'log') }),
    ...(options.databaseFile !== undefined && { database: { path: options.databaseFile } }),
    port: options.port,
  })
  return { running, calls: api({ baseUrl: `http://127.0.0.1:${running.port}`, apiKey: key }) }
}

test('a service on another database leaves the files of a data folder alone', async () => {
  const dataDir = await dataFolder()
  const first = await start(dataDir)
  const { data: file } = await first.calls.upload('a.txt', 'kept')
  await first.running.close()

  const other = start(dataDir, { databaseFile: join(dataDir, 'other.sqlite') })
  await expect(other).rejects.toMatchObject({ code: 6401, retryable: false })

  const again = await start(dataDir)
  expect(Buffer.from(await again.calls.download(file.file_id)).toString()).toBe('kept')
  await again.running.close()
})

test('a port that is taken is said in a sentence', async () => {
  const first = await start(await dataFolder())
  const second = start(await dataFolder(), { port: first.running.port })
  await expect(second).rejects.toMatchObject({
    code: 6401,
    message: expect.stringContaining(String(first.running.port)),
  })
  await first.running.close()
})
