import type { FastifyInstance } from 'fastify'
import { localAccount } from '../accounts/accounts.ts'
import { accountBalance, keyQuota } from '../accounts/ledger.ts'
import type { Capabilities } from '../contract/catalog.ts'
import { describePrice } from '../contract/credits.ts'
import { maxFileBytes, retentionDays } from '../contract/file.ts'
import { lackOf } from '../contract/lacks.ts'
import type { OperationModule } from '../contract/operation.ts'
import { defaultPageSize, maxPageSize } from '../contract/fields.ts'
import { maxBodyBytes } from '../contract/route.ts'
import { routes } from '../contract/routes.ts'
import { partBytes, sessionHours } from '../contract/upload.ts'
import { storageUsed } from '../files/storage-limits.ts'
import { configuredPacks, packStates } from '../engines/packs/use.ts'
import { serviceInfo, serviceKinds, type ServiceKind } from '../engines/services/services.ts'
import { serviceSettingHint, configuredService } from '../engines/services/use.ts'
import { describeLayout, listLayouts } from '../media/layout/entry.ts'
import { lazy } from '../platform/cache.ts'
import { countTasks } from '../tasks/list.ts'
import type { Service } from '../tasks/service.ts'
import { callerOf } from './admission.ts'
import { sendTagged } from './conditional.ts'
import { listEnumerations } from './enumerations.ts'
import { success } from './failures.ts'
import { read } from './parameters.ts'

/** What the service can do, and the catalogues of what requests may name. */
export function catalogRoutes(app: FastifyInstance, service: Service, version: string): void {
  const modules = [...service.operations.values()]
  app.get(routes.capabilities.path, async (request) => {
    const { accountId, keyId } = callerOf(request)
    const quota = await keyQuota(service.db, keyId)
    return success<Capabilities>({
      protocol_version: 2,
      version,
      operations: await Promise.all(modules.map(describe)),
      ...(await describePacks()),
      services: serviceKinds.map(describeService),
      limits,
      credits: {
        balance: await accountBalance(service.db, accountId),
        ...(accountId === localAccount.id && { unlimited: true }),
        ...(quota && { quota }),
      },
      storage: await describeStorage(service, accountId),
      tasks: await countTasks(service.db, accountId),
    })
  })
  const enums = lazy(() => json(listEnumerations(modules.map(({ operation }) => operation))))
  app.get(routes.enums.path, (request, reply) => sendTagged(request, reply, enums()))
  app.get(routes.voices.path, (request, reply) => sendTagged(request, reply, json({ list: service.voices })))
  app.get(routes.layouts.path, (request, reply) => {
    const { slot_count: slotCount, ratio, page, page_size } = read(routes.layouts.query, request.query)
    const layouts = listLayouts({ slotCount, ratio })
    const shown = layouts.slice((page - 1) * page_size, page * page_size)
    const list = shown.map((layout) => describeLayout(layout, ratio ?? '1:1'))
    return sendTagged(request, reply, json({ list, total: layouts.length, page, page_size }))
  })
}

const limits: Capabilities['limits'] = {
  max_file_bytes: maxFileBytes,
  part_bytes: partBytes,
  upload_session_hours: sessionHours,
  max_body_bytes: maxBodyBytes,
  retention_days: retentionDays,
  page_size: defaultPageSize,
  max_page_size: maxPageSize,
}

async function describeStorage(
  { db, storageQuota }: Service,
  accountId: number,
): Promise<Capabilities['storage']> {
  const used_bytes = await storageUsed(db, accountId)
  return { used_bytes, ...(storageQuota !== Infinity && { quota_bytes: Math.floor(storageQuota) }) }
}

/** What this process was told of; folders of the service are nobody else's matter. */
async function describePacks(): Promise<Pick<Capabilities, 'packs'>> {
  const packs = configuredPacks()
  if (!packs) return {}
  const states = await packStates(packs)
  return {
    packs: states.map(({ name, title, state, detail, fix }) => ({
      name,
      title,
      state,
      missing: state === 'ready' ? null : `${detail}. Fix: ${fix}`,
    })),
  }
}

/** Without its address: where the service finds others is nobody else's matter. */
function describeService(name: ServiceKind): NonNullable<Capabilities['services']>[number] {
  const service = configuredService(name)
  const { title } = serviceInfo[name]
  return {
    name,
    title,
    set: service !== undefined,
    model: service?.model ?? null,
    missing: service ? null : serviceSettingHint(name),
  }
}

function json(data: unknown) {
  return { type: 'application/json; charset=utf-8', text: JSON.stringify(success(data)) }
}

async function describe(module: OperationModule): Promise<Capabilities['operations'][number]> {
  const { name, title, price } = module.operation
  const lack = await lackOf(module)
  const missing = lack && `${lack.message}. Fix: ${lack.hint}`
  return { name, title, ready: missing === null, missing, price: describePrice(price) }
}
