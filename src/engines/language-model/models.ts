import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { parseJson } from '../../contract/bounded-json.ts'
import { redact } from '../../platform/log.ts'
import { parseServiceAddress, serviceName } from '../services/services.ts'
import type { ServiceClient } from '../services/client.ts'
import {
  type HttpError,
  httpErrorCause,
  type ServiceTarget,
  unexpectedResponse,
} from '../services/failures.ts'

/** A model in a server's list. vLLM, OpenRouter and llama.cpp each have a field for the context size. */
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

/** Names of models that errors may show; a service controls the others, which are not listed. */
const plainModelName = /^[\w./:@+-]{1,100}$/

/** A model that a server has. */
export interface ListedModel {
  readonly id: string
  /** Context size in tokens; null if unknown. */
  readonly contextTokens: number | null
}

/** Maximum number of models that an error names. */
const maxNamed = 8

/** Whether an error means that a service has no list of models. It may still answer questions. */
export function hasNoModelList(error: unknown): boolean {
  return [404, 405, 501].includes(httpErrorCause(error)?.status ?? 0)
}

/** Whether two names are the same model: Ollama lists a name without a tag as `:latest`. */
export function isSameModel(model: string, id: string): boolean {
  return id === model || id === `${model}:latest`
}

/** Returns the models of a server. */
export async function listModels(client: ServiceClient, signal: AbortSignal): Promise<ListedModel[]> {
  const { bytes } = await client.send({ path: '/models', signal })
  const read = modelList.safeParse(parseJson(bytes.toString('utf8'))).data
  if (!read) throw unexpectedResponse(client.target, 'responds to /models without a list of models')
  return read.data.map(({ id, max_model_len, context_length, meta }) => ({
    id,
    contextTokens: max_model_len ?? context_length ?? meta?.n_ctx ?? null,
  }))
}

/** Returns the configured model, otherwise the server's only one. Throws 6401 if it has none or several. */
export function chooseModel({ target }: ServiceClient, models: readonly ListedModel[]): ListedModel {
  const { model } = target.service
  if (model !== undefined) {
    const found = models.find(({ id }) => isSameModel(model, id))
    return { id: model, contextTokens: found?.contextTokens ?? null }
  }
  const [only, ...others] = models
  if (only && others.length === 0) return only
  const what = only ? `has several models (${listModelNames(models)})` : 'has no model'
  throw new MediaError(6401, `${serviceName(target.service)} ${what}`, {
    retryable: false,
    hint: `Add one after a # in the setting "${target.kind}": ${settingLine(target, models)}`,
  })
}

/** Whether an error response reports an unknown model. */
export function isUnknownModel({ status, detail }: HttpError): boolean {
  return status === 404 || ([400, 422].includes(status) && unknownModelPattern.test(detail))
}

const unknownModelPattern =
  /model_not_found|no such model|(unknown|invalid) model\b|\bmodel\b.{0,200}\b(not found|does(n't| not) exist)/i

/** Adds the available models to the error for a model that a service rejects and does not list. */
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
    hint: `It has ${listModelNames(models)}. Add one after a # in the setting "${client.target.kind}": ${settingLine(client.target, models)}`,
  })
}

/** Returns the names that errors may show, without secrets. */
function plainModelNames(models: readonly ListedModel[]): string[] {
  return models.map(({ id }) => redact(id)).filter((id) => plainModelName.test(id))
}

function listModelNames(models: readonly ListedModel[]): string {
  const shown = plainModelNames(models).slice(0, maxNamed)
  return [...shown, ...(models.length > shown.length ? ['…'] : [])].join(', ')
}

/** Returns the one-line setting of a service with the first model that errors may show. */
function settingLine({ service }: ServiceTarget, models: readonly ListedModel[]): string {
  return `${parseServiceAddress(service.address).base.href}#${plainModelNames(models)[0] ?? 'model'}`
}
