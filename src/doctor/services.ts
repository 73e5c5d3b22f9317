import { MediaError } from '../contract/errors.ts'
import { isSameModel, listModels, hasNoModelList } from '../engines/language-model/models.ts'
import {
  parseServiceAddress,
  serviceInfo,
  type ServiceKind,
  serviceKinds,
  serviceName,
  type Services,
} from '../engines/services/services.ts'
import { openClient, type ServiceClient } from '../engines/services/client.ts'
import { httpErrorCause } from '../engines/services/failures.ts'
import { serviceSettingHint } from '../engines/services/configured.ts'
import type { Finding } from './finding.ts'

/** How long a service may take to say a word, ms. */
const serviceTimeoutMs = 3_000

/** The limits end what takes too long. */
const { signal } = new AbortController()

/** Models that are named where another is set. */
const maxModelsListed = 5

interface ExamineServiceOptions {
  readonly services: Services
  /** ms. */
  readonly patience: number
}

/** Looks at every service that is set, and whether it answers. None of them stops all work. */
export async function examineServices(services: Services, patience = serviceTimeoutMs): Promise<Finding[]> {
  return await Promise.all(serviceKinds.map((need) => examineOne(need, { services, patience })))
}

async function examineOne(
  need: ServiceKind,
  { services, patience }: ExamineServiceOptions,
): Promise<Finding> {
  const name = serviceInfo[need].title.toLowerCase()
  const service = services[need]
  if (!service) return { name, state: 'ok', detail: `none is set. ${serviceSettingHint(need)}` }
  const limits = { firstByteMs: patience, wholeMs: patience, maxBytes: 4 * 2 ** 20, tries: 1 }
  await using client = openClient({ kind: need, service }, limits)
  try {
    const lack = need === 'language_model' ? await modelProblem(client) : await checkConnection(client)
    const detail = serviceName(service)
    return lack === null
      ? { name, state: 'ok', detail: `${detail} answers` }
      : { name, state: 'note', detail: `${detail} ${lack}`, fix: `correct the setting "${need}"` }
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    return { name, state: 'note', detail: error.message, fix: error.hint }
  }
}

/** What is wrong with the model that is named; null where nothing is, or the service tells nothing. */
async function modelProblem(client: ServiceClient): Promise<string | null> {
  const { model } = client.target.service
  try {
    const names = (await listModels(client, signal)).map(({ id }) => id)
    if (model === undefined)
      return names.length === 1 ? null : `has ${names.length} models, of which none is named`
    if (names.some((id) => isSameModel(model, id))) return null
    return `does not list its model, but ${names.slice(0, maxModelsListed).join(', ') || 'none'}`
  } catch (error) {
    if (hasNoModelList(error) && model !== undefined) return null
    throw error
  }
}

/** Most answers tell that somebody is there; not those of a proxy or a service that fails, or that wants a key. */
async function checkConnection(client: ServiceClient): Promise<null> {
  const { base } = parseServiceAddress(client.target.service.address)
  try {
    await client.send({
      path: base.pathname === '/' ? '/' : '/models',
      signal: signal,
    })
  } catch (error) {
    const { status = 0 } = httpErrorCause(error) ?? {}
    const isThere = status === 501 || (status >= 400 && status < 500 && status !== 401 && status !== 403)
    if (!isThere) throw error
  }
  return null
}
