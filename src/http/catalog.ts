import type { FastifyInstance } from 'fastify'
import { balanceOf } from '../accounts/ledger.ts'
import { describePrice } from '../contract/credits.ts'
import { MediaError } from '../contract/errors.ts'
import { maxFileBytes, retentionDays } from '../contract/file.ts'
import type { OperationModule } from '../contract/operation.ts'
import { routes, type Capabilities } from '../contract/routes.ts'
import { countTasks } from '../tasks/list.ts'
import type { Service } from '../tasks/service.ts'
import { callerOf } from './admission.ts'
import { success } from './failures.ts'

/** `GET /base/capabilities`: what is ready, what is missing and the command that brings it, prices, credits. */
export function catalogRoutes(app: FastifyInstance, service: Service, version: string): void {
  app.get(routes.capabilities.path, async (request) => {
    const { accountId } = callerOf(request)
    return success<Capabilities>({
      protocol_version: 2,
      version,
      operations: await Promise.all([...service.operations.values()].map(describe)),
      limits: { max_file_bytes: maxFileBytes, retention_days: retentionDays },
      credits: { balance: await balanceOf(service.db, accountId) },
      tasks: await countTasks(service.db, accountId),
    })
  })
}

async function describe(module: OperationModule): Promise<Capabilities['operations'][number]> {
  const { name, title, price } = module.operation
  const missing = await whatIsMissing(module)
  return { name, title, ready: missing === null, missing, price: describePrice(price) }
}

async function whatIsMissing(module: OperationModule): Promise<string | null> {
  try {
    const { ready } = await module.run()
    await ready()
    return null
  } catch (error) {
    if (error instanceof MediaError) return `${error.message}. ${error.hint}`
    throw error
  }
}
