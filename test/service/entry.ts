/**
 * A service process for tests of crashes: `<data folder> <options as JSON>`, or a worker:
 * `worker <pack settings as JSON> <names of operations>`. Without names it runs all.
 */
import { flushCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { initializeProcess } from './initialize-process.ts'
import type { OperationModule } from '../../src/contract/operation.ts'
import type { ServiceProcessOptions, TestPacks } from './process.ts'

const [first = '', more = '{}', ...needed] = process.argv.slice(2)
initializeProcess({ streams: first !== 'worker' })
const {
  synchronousModule: answerModule,
  fakeModule,
  freeModule,
  messageEnvelopeModule: messageModule,
} = await import('./fake-operation.ts')
const testOperations: OperationModule[] = [answerModule, fakeModule, freeModule, messageModule]
const isNeeded = (name: string) => needed.length === 0 || needed.includes(name)
if (isNeeded('test_images')) testOperations.push((await import('./image-operation.ts')).imageModule)
if (isNeeded('test_many_files'))
  testOperations.push((await import('./many-files-operation.ts')).manyFilesModule)
const isTestOperation = (name: string) => testOperations.some(({ operation }) => operation.name === name)
const { operations: productOperations } =
  needed.length > 0 && needed.every(isTestOperation)
    ? { operations: [] }
    : await import('../../tools/index.ts')
const operations = [...testOperations, ...productOperations]
const { manifest } = await import('../../src/engines/packs/manifest.ts')
const { packSettings } = await import('../../src/engines/packs/store.ts')
const { configurePacks } = await import('../../src/engines/packs/resolve.ts')
const { workerEnvironment, takeWorkerServices } = await import('../../src/config/config.ts')
const { configureServices } = await import('../../src/engines/services/configured.ts')
const none = { folder: join(tmpdir(), 'no-packs'), automatic: false, own: {} }
const configureTestPacks = ({ manifest: changed = manifest, ...packs }: TestPacks) =>
  configurePacks({ ...packSettings.parse({ ...none, ...packs }), manifest: changed })
// Each process imports only its own side, like the product: workers start often.
if (first === 'worker') {
  const { runWorker } = await import('../../src/tasks/worker.ts')
  configureServices(takeWorkerServices())
  configureTestPacks(JSON.parse(more) as TestPacks)
  runWorker(operations)
} else {
  const { startService } = await import('../../src/service/service.ts')
  const { armFailpoint } = await import('../../src/platform/failpoint.ts')
  const { openLog } = await import('../../src/platform/log.ts')
  const { newKey } = await import('../../src/platform/hosting.ts')
  const apiKey = newKey()
  const {
    localImport,
    services = {},
    packs = {},
    database,
    resultTimeoutMs: patience,
    concurrency = 2,
  } = JSON.parse(more) as ServiceProcessOptions
  configureServices(services)
  configureTestPacks(packs)
  const { port, close } = await startService({
    dataDir: first,
    version: '0.0.0-test',
    instance: 'test',
    key: apiKey,
    exitIfIdle: async () => false,
    operations,
    worker: {
      module: import.meta.filename,
      args: ['worker', JSON.stringify(packs)],
      environment: workerEnvironment(services),
    },
    log: openLog({ file: `${first}/log`, level: 'info' }),
    concurrency,
    localImport: localImport === true,
    ...(database && { database }),
    ...(patience !== undefined && { resultTimeoutMs: patience }),
  })
  process.on('message', ([step, pass]: [string, number]) => {
    armFailpoint(step, pass)
    process.send?.('armed')
  })
  process.on('SIGTERM', () => void close())
  // The test process has ended; a surviving child would keep its output open and block the runner.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  // The listener alone would keep a stopped service alive.
  process.channel?.unref()
  // A killed process does not write its compile cache.
  flushCompileCache()
  process.send?.({ port, apiKey })
}
