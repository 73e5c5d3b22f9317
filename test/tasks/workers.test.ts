import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openLog } from '../../src/platform/log.ts'
import { openWorkers } from '../../src/tasks/workers.ts'
import { until } from '../service/api.ts'

const children = () => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length

test('a worker whose identity cannot be kept is ended, and the attempt fails', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-workers-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const module = join(folder, 'worker.mjs')
  await writeFile(module, "process.on('message', () => {}); process.send({ say: 'ready' })")
  const identities = join(folder, 'run')
  await using workers = await openWorkers({
    command: { module, args: [] },
    folder: identities,
    log: openLog({ level: 'silent' }),
  })
  await rm(identities, { recursive: true })
  const before = children()
  const attempt = { taskId: '1', operation: 'x', input: {}, files: [], scratch: folder, threads: 1 }
  const watch = { signal: new AbortController().signal, onProgress: () => undefined }
  await expect(workers.run(attempt, watch)).rejects.toThrow('ENOENT')
  await until(
    async () => children(),
    (count) => count === before,
  )
})
