import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { configureServices } from '../../src/engines/services/configured.ts'
import type { Services } from '../../src/engines/services/services.ts'
import { operations } from '../../tools/index.ts'
import { type ModelServer, startModelServer } from '../engines/language-model/model-server.ts'
import { api, type Api } from '../service/api.ts'
import { startTestService, type TestService, type TestServiceOptions } from '../service/in-process.ts'
import { describingModel, describingPacks, type } from './describing-model.ts'

/** A running service with a fake model, and an account with 1000 credits. */
interface DescribingService {
  readonly service: TestService
  readonly model: ModelServer
  readonly calls: Api
}

/** Starts a service with a fake model for the tests of a file. */
export function useDescribingService() {
  let running: (DescribingService & { readonly folder: string }) | undefined
  const started = (): DescribingService => {
    if (!running) throw new Error('the service has not been started')
    return running
  }
  const modelServices = ({ origin }: ModelServer): Services => ({
    language_model: { address: `${origin}/v1`, model: 'small', context_tokens: 16_384 },
  })
  const start = (
    { model, folder }: { readonly model: ModelServer; readonly folder: string },
    options: TestServiceOptions,
  ) =>
    startTestService({
      operations: operations.filter(({ operation }) => operation.name === type),
      services: modelServices(model),
      packs: describingPacks(join(folder, 'packs')) ?? {},
      ...options,
    })
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reelwright-describe-'))
    const model = await startModelServer(describingModel())
    const service = await start({ model, folder }, { rateLimits: { [type]: 10_000 } })
    running = { model, service, folder, calls: api(await service.account(1000)) }
  })
  beforeEach(() => {
    const { model } = started()
    model.says = describingModel()
    model.asked.length = 0
  })
  afterAll(async () => {
    if (!running) return
    await running.service[Symbol.asyncDispose]()
    await running.model[Symbol.asyncDispose]()
    await rm(running.folder, { recursive: true, force: true })
  })
  return {
    started,
    /** Uses another service. Services of one process share their settings, which are restored afterwards. */
    async withService(options: TestServiceOptions, use: (other: TestService) => Promise<void>) {
      if (!running) throw new Error('the service has not been started')
      try {
        await using other = await start(running, options)
        await use(other)
      } finally {
        configureServices(modelServices(running.model))
      }
    },
  }
}
