import { MediaError } from '../contract/errors.ts'
import { summarizeList } from '../contract/format.ts'
import type { Answerer } from '../contract/questions.ts'
import { isSameModel, listModels, hasNoModelList } from '../engines/language-model/models.ts'
import {
  type CatalogueVoice,
  type SpeakingService,
  parseServiceAddress,
  serviceInfo,
  type ServiceKind,
  serviceKinds,
  serviceName,
  type Services,
} from '../engines/services/services.ts'
import { openClient, type ServiceClient } from '../engines/services/client.ts'
import { httpErrorCause, type ServiceTarget } from '../engines/services/failures.ts'
import { serviceSettingHint } from '../engines/services/configured.ts'
import { readVoiceRecording } from '../engines/voice/catalogue.ts'
import type { Finding } from './finding.ts'

/** Timeout of a check, ms. */
const serviceTimeoutMs = 3_000

/** Never aborted: the time limits of the client end a slow check. */
const { signal } = new AbortController()

/** Maximum number of models listed when the configured model is missing. */
const maxModelsListed = 5

/** Services that usually list their models. */
const kindsWithModels: ReadonlySet<ServiceTarget['kind']> = new Set(['language_model', 'embedding'])

interface ExamineServiceOptions {
  readonly services: Services
  /** Who answers questions to a language model: the agents that call, or a configured model (null). */
  readonly answersBy: Answerer
  /** Timeout, ms. */
  readonly timeoutMs: number
}

/** Checks that every configured service responds. A problem is a note: operations without the service still work. */
export async function examineServices(
  services: Services,
  { answersBy = null, timeoutMs = serviceTimeoutMs }: Partial<Omit<ExamineServiceOptions, 'services'>> = {},
): Promise<Finding[]> {
  return await Promise.all([
    ...serviceKinds.map((kind) => examineOne(kind, { services, answersBy, timeoutMs })),
    ...examineVoices(services.voices ?? [], timeoutMs),
  ])
}

/** Checks each service that speaks voices of the catalogue, and each recording of a voice. */
function examineVoices(voices: readonly CatalogueVoice[], timeoutMs: number): Promise<Finding>[] {
  const speaking = new Map<string, { readonly service: SpeakingService; readonly ids: string[] }>()
  for (const { voice_id, service } of voices) {
    if (!service) continue
    const name = `${service.address}#${service.model ?? ''}`
    const known = speaking.get(name)
    if (known) known.ids.push(voice_id)
    else speaking.set(name, { service, ids: [voice_id] })
  }
  return [
    ...[...speaking.values()].map(({ service, ids }) =>
      examineConnection(
        `voices ${summarizeList(ids, maxVoicesListed, ', ')}`,
        { kind: 'voices', service },
        timeoutMs,
      ),
    ),
    ...voices.filter(({ recording }) => recording).map(examineRecording),
  ]
}

/** Most voices that a finding names. */
const maxVoicesListed = 5

async function examineRecording(voice: CatalogueVoice): Promise<Finding> {
  const name = `voice ${voice.voice_id}`
  try {
    await readVoiceRecording(voice, signal)
    return {
      name,
      state: 'ok',
      detail: `its recording is usable; it is cloned for ${voice.languages.join(', ')}`,
    }
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    return { name, state: 'note', detail: error.message, fix: error.hint }
  }
}

async function examineOne(
  kind: ServiceKind,
  { services, answersBy, timeoutMs }: ExamineServiceOptions,
): Promise<Finding> {
  const name = serviceInfo[kind].title.toLowerCase()
  const service = services[kind]
  if (!service) {
    const isAgent = kind === 'language_model' && answersBy === 'agent'
    const state = isAgent ? 'not configured. The calling agent answers' : 'not configured'
    return { name, state: 'ok', detail: `${state}. ${serviceSettingHint(kind)}` }
  }
  return await examineConnection(name, { kind, service }, timeoutMs)
}

/** Checks that a service responds, and has its model where services of this kind list theirs. */
async function examineConnection(name: string, target: ServiceTarget, timeoutMs: number): Promise<Finding> {
  const { kind, service } = target
  const limits = { firstByteMs: timeoutMs, wholeMs: timeoutMs, maxBytes: 4 * 2 ** 20, tries: 1 }
  await using client = openClient(target, limits)
  try {
    const problem = kindsWithModels.has(kind) ? await modelProblem(client) : await checkConnection(client)
    const detail = serviceName(service)
    return problem === null
      ? { name, state: 'ok', detail: `${detail} responds` }
      : { name, state: 'note', detail: `${detail} ${problem}`, fix: `correct the setting "${kind}"` }
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
    // Only the operator sees this report.
    const explanation = httpErrorCause(error)?.detail ?? ''
    return {
      ...{ name, state: 'note', fix: error.hint },
      detail: explanation === '' ? error.message : `${error.message}: ${explanation}`,
    }
  }
}

/** Problem with the configured model; null if there is none, or the service does not list its models. */
async function modelProblem(client: ServiceClient): Promise<string | null> {
  const { model } = client.target.service
  try {
    const names = (await listModels(client, signal)).map(({ id }) => id)
    if (model === undefined)
      return names.length === 1 ? null : `has ${names.length} models, but none is configured`
    if (names.some((id) => isSameModel(model, id))) return null
    return `is not among the models that it lists: ${names.slice(0, maxModelsListed).join(', ') || 'none'}`
  } catch (error) {
    if (hasNoModelList(error) && model !== undefined) return null
    throw error
  }
}

/** Most responses show that the service runs, but not 401, 403, or the errors of a proxy or a failing service. */
async function checkConnection(client: ServiceClient): Promise<null> {
  const { base } = parseServiceAddress(client.target.service.address)
  try {
    await client.send({
      path: base.pathname === '/' ? '/' : '/models',
      signal,
    })
  } catch (error) {
    const { status = 0 } = httpErrorCause(error) ?? {}
    const isReachable = status === 501 || (status >= 400 && status < 500 && status !== 401 && status !== 403)
    if (!isReachable) throw error
  }
  return null
}
