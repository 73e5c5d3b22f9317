import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { parseJson } from '../../platform/text-formats.ts'
import { parseServiceAddress, serviceName } from '../services/services.ts'
import type { ServiceClient } from '../services/client.ts'
import {
  type HttpError,
  httpErrorCause,
  type ServiceTarget,
  unexpectedResponse,
} from '../services/failures.ts'

/** A model as servers list it; how long a context may be is told by vLLM, OpenRouter, and llama.cpp. */
const modelEntry = z.object({
  id: z.string(),
  max_model_len: z.int().min(1).nullish().catch(null),
  context_length: z.int().min(1).nullish().catch(null),
  meta: z
    .object({ n_ctx: z.int().min(1).nullish().catch(null) })
    .nullish()
    .catch(null),
})
const modelList = z.object({ data: z.array(modelEntry) })

/** A model of a server. */
export interface ListedModel {
  readonly id: string
  /** Tokens of its context; null where the server does not tell. */
  readonly contextTokens: number | null
}

/** Models that are named in an error. */
const maxNamed = 8

/** Whether a service that was asked for its models has no such list; it may answer questions all the same. */
export function hasNoModelList(error: unknown): boolean {
  return [404, 405, 501].includes(httpErrorCause(error)?.status ?? 0)
}

/** Whether a service lists a model: Ollama lists what is asked for without a tag as `:latest`. */
export function isSameModel(model: string, id: string): boolean {
  return id === model || id === `${model}:latest`
}

/** The models that a server has. */
export async function listModels(client: ServiceClient, signal: AbortSignal): Promise<ListedModel[]> {
  const { bytes } = await client.send({ path: '/models', signal })
  const read = modelList.safeParse(parseJson(bytes.toString('utf8'))).data
  if (!read) throw unexpectedResponse(client.target, 'answers /models with what is no list of models')
  return read.data.map(({ id, max_model_len, context_length, meta }) => ({
    id,
    contextTokens: max_model_len ?? context_length ?? meta?.n_ctx ?? null,
  }))
}

/** The model that is meant: the one that is set, else the only one there is. 6401 where that is none. */
export function chooseModel({ target: told }: ServiceClient, models: readonly ListedModel[]): ListedModel {
  const { model } = told.service
  if (model !== undefined) {
    const found = models.find(({ id }) => isSameModel(model, id))
    return { id: model, contextTokens: found?.contextTokens ?? null }
  }
  const [only, ...others] = models
  if (only && others.length === 0) return only
  const what = only ? `has several models (${modelNames(models)})` : 'has no model'
  throw new MediaError(6401, `${serviceName(told.service)} ${what}`, {
    retryable: false,
    hint: `Name one behind a # in the setting "${told.kind}": ${settingLine(told, only)}`,
  })
}

/** Whether a refusal says that the model is not there. */
export function isUnknownModel({ status, detail: said }: HttpError): boolean {
  return status === 404 || ([400, 422].includes(status) && unknownModelPattern.test(said))
}

const unknownModelPattern =
  /model_not_found|no such model|(unknown|invalid) model\b|\bmodel\b.{0,200}\b(not found|does(n't| not) exist)/i

/** Says what models there are instead of the one that a service refuses, where it lists others alone. */
export async function suggestModels(
  client: ServiceClient,
  { model, refused }: { readonly model: string; readonly refused: MediaError },
  signal: AbortSignal,
): Promise<MediaError> {
  const models = await listModels(client, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    if (error instanceof MediaError) return []
    throw error
  })
  if (models.length === 0 || models.some(({ id }) => isSameModel(model, id))) return refused
  return new MediaError(6401, refused.message, {
    retryable: false,
    cause: refused,
    hint: `It has ${modelNames(models)}. Name one behind a # in the setting "${client.target.kind}": ${settingLine(client.target, models[0])}`,
  })
}

function modelNames(models: readonly ListedModel[]): string {
  const names = models.slice(0, maxNamed).map(({ id }) => id)
  return `${names.join(', ')}${models.length > maxNamed ? ', …' : ''}`
}

/** The setting in one line. */
function settingLine({ service }: ServiceTarget, model: ListedModel | undefined): string {
  return `${parseServiceAddress(service.address).base.href}#${model?.id ?? 'model'}`
}
