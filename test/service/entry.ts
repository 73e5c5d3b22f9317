/** A service process for tests of crashes: `<data folder> <options as JSON>`, or `worker`. */
import { armFailpoint } from '../../src/platform/failpoint.ts'
import { openLog } from '../../src/platform/log.ts'
import { newKey } from '../../src/platform/new-key.ts'
import { startService } from '../../src/service.ts'
import { runWorker } from '../../src/tasks/worker.ts'
import { operations as productOperations } from '../../tools/index.ts'
import { fakeModule, messageModule } from './fake-operation.ts'
import type { ProcessOptions } from './process.ts'

const [first = '', more = '{}'] = process.argv.slice(2)
const operations = [fakeModule, messageModule, ...productOperations]
if (first === 'worker') {
  runWorker(operations)
} else {
  const apiKey = newKey()
  const { failpoint, localImport } = JSON.parse(more) as ProcessOptions
  const { port, close } = await startService({
    dataDir: first,
    version: '0.0.0-test',
    instance: 'test',
    key: apiKey,
    exitIfIdle: async () => false,
    operations,
    worker: { module: import.meta.filename, args: ['worker'] },
    log: openLog({ file: `${first}/log`, level: 'info' }),
    concurrency: 2,
    localImport: localImport === true,
  })
  if (failpoint) armFailpoint(failpoint[0], failpoint[1] ?? 1)
  process.on('SIGTERM', () => void close())
  // The test is gone; what outlives it would keep its output open, for which the runner waits.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  // Listening alone would keep a service that has ended.
  process.channel?.unref()
  process.send?.({ port, apiKey })
}
