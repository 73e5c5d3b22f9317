import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { parseJson } from '../../platform/json.ts'
import { readAddress } from '../services/address.ts'
import type { ServiceClient } from '../services/client.ts'
import { strange } from '../services/failures.ts'
import { nameOf } from '../services/services.ts'

/** A model as servers list it; how long a context may be is told by vLLM, OpenRouter, and llama.cpp. */
const listed = z.object({
  id: z.string(),
  max_model_len: z.int().min(1).nullish().catch(null),
  context_length: z.int().min(1).nullish().catch(null),
  meta: z
    .object({ n_ctx: z.int().min(1).nullish().catch(null) })
    .nullish()
    .catch(null),
})
const list = z.object({ data: z.array(listed) })

/** A model of a server. */
export interface ListedModel {
  readonly id: string
  /** Tokens of its context; null where the server does not tell. */
  readonly contextTokens: number | null
}

/** Models that are named in an error. */
const maxNamed = 8

/** The models that a server has. */
export async function listModels(client: ServiceClient, signal: AbortSignal): Promise<ListedModel[]> {
  const { bytes } = await client.send({ path: '/models', signal })
  const read = list.safeParse(parseJson(bytes.toString('utf8'))).data
  if (!read) throw strange(client.told, 'answers /models with what is no list of models')
  return read.data.map(({ id, max_model_len, context_length, meta }) => ({
    id,
    contextTokens: max_model_len ?? context_length ?? meta?.n_ctx ?? null,
  }))
}

/** The model that is meant: the one that is set, else the only one there is. 6401 where that is none. */
export function chooseModel({ told }: ServiceClient, models: readonly ListedModel[]): ListedModel {
  const { model } = told.service
  if (model !== undefined) {
    // Ollama lists what is asked for without a tag as `:latest`.
    const found = models.find(({ id }) => id === model || id === `${model}:latest`)
    return { id: model, contextTokens: found?.contextTokens ?? null }
  }
  const [only, ...others] = models
  if (only && others.length === 0) return only
  const names = models.slice(0, maxNamed).map(({ id }) => id)
  const what = only
    ? `has several models (${names.join(', ')}${models.length > maxNamed ? ', …' : ''})`
    : 'has no model'
  throw new MediaError(6401, `${nameOf(told.service)} ${what}`, {
    retryable: false,
    hint: `Name one behind a # in the setting "${told.need}": ${readAddress(told.service.address).base.href}#${names[0] ?? 'model'}`,
  })
}
