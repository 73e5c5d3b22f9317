import type { FastifyInstance } from 'fastify'
import type * as z from 'zod'
import { localAccount } from '../accounts/accounts.ts'
import { accountBalance, keyQuota } from '../accounts/ledger.ts'
import type { Capabilities, Enumerations, Enums } from '../contract/catalog.ts'
import { describePrice } from '../contract/credits.ts'
import { errorTable } from '../contract/errors.ts'
import { defaultPageSize, maxPageSize } from '../contract/fields.ts'
import { extensionsByKind } from '../contract/file-kind.ts'
import { maxFileBytes, retentionDays } from '../contract/file.ts'
import { innerSchemas, type JsonSchema, jsonSchemaOf } from '../contract/json-schema.ts'
import { firstDownload, readinessError } from '../engines/readiness.ts'
import { largestBodyBytes, type Operation, type OperationModule } from '../contract/operation.ts'
import type { Answerer } from '../contract/questions.ts'
import { endpoints, routes } from '../contract/routes.ts'
import { isTerminal, priorities, taskStates } from '../contract/task.ts'
import { partBytes, sessionHours } from '../contract/upload.ts'
import { configuredPacks, packStates } from '../engines/packs/resolve.ts'
import { serviceInfo, type ServiceKind, serviceKinds } from '../engines/services/services.ts'
import { configuredService, serviceSettingHint } from '../engines/services/configured.ts'
import { storageUsed } from '../files/storage-limits.ts'
import { describeLayout, listLayouts } from '../media/layout/describe.ts'
import { libraryState } from '../library/library-state.ts'
import { lazy, LruByteCache } from '../platform/cache.ts'
import { countTasks } from '../tasks/records.ts'
import { chooseAnswerer } from '../engines/language-model/choose-answerer.ts'
import type { Service } from '../tasks/service.ts'
import { offersAnswers } from './question-routes.ts'
import { authenticatedCaller } from './authentication.ts'
import { parseParameters } from './request-input.ts'
import { success } from './responses.ts'
import { StaticDocument } from './static-document.ts'

/** Capabilities of the service, and catalogues of values for requests. */
export function registerCatalogRoutes(app: FastifyInstance, service: Service, version: string): void {
  const modules = [...service.operations.values()]
  app.get(routes.capabilities.path, async (request) => {
    const { accountId, keyId } = authenticatedCaller(request)
    const quota = await keyQuota(service.db, keyId)
    const answersBy = chooseAnswerer(service, offersAnswers(request))
    return success<Capabilities>({
      protocol_version: 2,
      version,
      operations: await Promise.all(modules.map((module) => describeCapability(module, answersBy))),
      ...(await describePacks()),
      services: serviceKinds.map((name) => describeExternalService(name, answersBy)),
      limits: {
        ...serviceLimits,
        max_body_bytes: largestBodyBytes(modules.map(({ operation }) => operation)),
      },
      credits: {
        balance: await accountBalance(service.db, accountId),
        ...(accountId === localAccount.id && { unlimited: true }),
        ...(quota && { quota }),
      },
      storage: await describeStorage(service, accountId),
      tasks: await countTasks(service.db, accountId),
      library: await libraryState(service.db),
    })
  })
  const enums = lazy(() =>
    StaticDocument.envelope(listEnumerations(modules.map(({ operation }) => operation))),
  )
  app.get(routes.enums.path, (request, reply) => enums().send(request, reply))
  const voices = lazy(() => StaticDocument.envelope({ list: service.voices }))
  app.get(routes.voices.path, (request, reply) => voices().send(request, reply))
  registerLayoutRoute(app)
}

/** The layouts of a query are the same each time. */
function registerLayoutRoute(app: FastifyInstance): void {
  const pages = new LruByteCache<StaticDocument>(layoutCacheBytes)
  app.get(routes.layouts.path, (request, reply) => {
    const query = parseParameters(routes.layouts.query, request.query)
    const name = JSON.stringify(query)
    const known = pages.get(name)
    if (known) return known.send(request, reply)
    const { slot_count: slotCount, ratio, page, page_size } = query
    const layouts = listLayouts({ slotCount, ratio })
    const shown = layouts.slice((page - 1) * page_size, page * page_size)
    const list = shown.map((layout) => describeLayout(layout, ratio ?? '1:1'))
    const document = StaticDocument.envelope({ list, total: layouts.length, page, page_size })
    pages.set(name, document)
    return document.send(request, reply)
  })
}

/** Memory for the pages of layouts that were sent last, bytes. */
const layoutCacheBytes = 4 * 2 ** 20

const serviceLimits: Omit<Capabilities['limits'], 'max_body_bytes'> = {
  max_file_bytes: maxFileBytes,
  part_bytes: partBytes,
  upload_session_hours: sessionHours,
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

/** Packs and their state, without paths, which are private to the service. */
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

/** An external service without its address, which is private. */
function describeExternalService(
  name: ServiceKind,
  answersBy: Answerer,
): NonNullable<Capabilities['services']>[number] {
  const service = configuredService(name)
  const { title } = serviceInfo[name]
  const isAgent = name === 'language_model' && answersBy === 'agent'
  return {
    name,
    title,
    set: service !== undefined,
    model: isAgent ? 'agent' : (service?.model ?? null),
    missing: service || isAgent ? null : serviceSettingHint(name),
  }
}

async function describeCapability(
  module: OperationModule,
  answersBy: Answerer,
): Promise<Capabilities['operations'][number]> {
  const { name, title, price } = module.operation
  const error = await readinessError(module, { answersBy })
  const missing = error && `${error.message}. Fix: ${error.hint}`
  const download = error ? undefined : await firstDownload(module)
  return {
    ...{ name, title, ready: missing === null, missing, price: describePrice(price) },
    ...(download && { first_download: { packs: [...download.packs], bytes: download.bytes } }),
  }
}

/** All enumerations of the API, read from the schemas that validate it. */
function listEnumerations(operations: readonly Operation[]): Enums {
  return {
    operations: Object.fromEntries(
      operations.map(({ name, input, output }) => [
        name,
        { input: enumerationsOf(input, 'input'), output: enumerationsOf(output, 'output') },
      ]),
    ),
    endpoints: Object.fromEntries(enumeratingEndpoints()),
    task_states: [...taskStates],
    terminal_task_states: taskStates.filter(isTerminal),
    priorities: [...priorities],
    extensions: Object.fromEntries(Object.entries(extensionsByKind).map(([kind, all]) => [kind, [...all]])),
    errors: Object.entries(errorTable).map(([code, row]) => ({ code: Number(code), ...row })),
  }
}

/** Endpoints with enumerated fields. */
function* enumeratingEndpoints(): Generator<[string, Enums['endpoints'][string]]> {
  for (const route of Object.values(endpoints)) {
    const found = {
      query: enumerationsOf(route.query, 'input'),
      body: enumerationsOf(route.body, 'input'),
      data: enumerationsOf('data' in route ? route.data : undefined, 'output'),
    }
    const any = Object.values(found).some((fields) => Object.keys(fields).length > 0)
    if (any) yield [`${route.method} ${route.path}`, found]
  }
}

/** Enumerated values of a schema by field path, such as `clips[].fit_mode`. */
export function enumerationsOf(schema: z.ZodType | undefined, io: 'input' | 'output'): Enumerations {
  const found: Enumerations = {}
  if (schema) collectEnumerations(jsonSchemaOf(schema, io), '', found)
  return found
}

function collectEnumerations(schema: JsonSchema, place: string, found: Enumerations): void {
  const values = (schema.enum ?? [schema.const]).filter((value) => value !== null && value !== undefined)
  // The schema itself has no field path.
  if (place !== '' && values.length > 0) found[place] = [...new Set([...(found[place] ?? []), ...values])]
  for (const { inner, step } of innerSchemas(schema))
    collectEnumerations(inner, `${place}${step}`.replace(/^\./, ''), found)
}
