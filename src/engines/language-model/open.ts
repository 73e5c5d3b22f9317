import { MediaError } from '../../contract/errors.ts'
import { isLocalNetworkHost, parseServiceAddress, serviceName } from '../services/services.ts'
import { openClient, defaultConcurrency, type ClientOptions, type ServiceClient } from '../services/client.ts'
import { httpErrorCause } from '../services/failures.ts'
import { requireService } from '../services/configured.ts'
import { askModel, type ModelConnection } from './ask.ts'
import type { LanguageModel } from './language-model.ts'
import { questionMessages, answerJsonSchema, estimateMessageTokens } from './messages.ts'
import { chooseModel, listModels, type ListedModel } from './models.ts'

/**
 * A model on this machine may load, and think, for minutes; and as answers are asked for whole, the first byte of one
 * comes with its last.
 */
const clientLimits = { firstByteMs: 600_000, wholeMs: 600_000, maxBytes: 16 * 2 ** 20 }

/** Tokens of a context that nobody tells: nearby what Ollama takes by itself, else what hosted models have. */
const defaultContext = { nearby: 4096, hosted: 16_384 }

/** Opens the language model that is set; 6401 where none is, and what its service fails with. */
export async function openLanguageModel({
  signal,
  ...options
}: ClientOptions & { readonly signal: AbortSignal }): Promise<LanguageModel> {
  const service = requireService('language_model')
  const client = openClient({ kind: 'language_model', service }, { ...clientLimits, ...options })
  try {
    const { id, contextTokens } = await findModel(client, signal)
    const named = { ...client, target: { kind: 'language_model', service: { ...service, model: id } } } as const
    const { hostname } = parseServiceAddress(service.address).base
    const usual = isLocalNetworkHost(hostname) ? defaultContext.nearby : defaultContext.hosted
    return createLanguageModel({
      client: named,
      model: id,
      contextTokens: service.context_tokens ?? contextTokens ?? usual,
      usage: { requests: 0, promptTokens: 0, answerTokens: 0 },
    })
  } catch (error) {
    await client[Symbol.asyncDispose]()
    throw error
  }
}

function createLanguageModel(asked: ModelConnection): LanguageModel {
  const { client, contextTokens, usage } = asked
  return {
    name: serviceName(client.target.service),
    contextTokens,
    concurrency: client.target.service.concurrency ?? defaultConcurrency,
    usage,
    ask: (question) => askModel(asked, question),
    promptTokenBudget(question) {
      const begun = questionMessages({ ...question, prompt: '' }, answerJsonSchema(question.schema))
      return Math.max(0, contextTokens - question.maxTokens - estimateMessageTokens(begun))
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

/** The model, as far as the settings do not tell all of it. */
async function findModel(client: ServiceClient, signal: AbortSignal): Promise<ListedModel> {
  const { model, context_tokens: contextTokens = null } = requireService('language_model')
  if (model !== undefined && contextTokens !== null) return { id: model, contextTokens }
  try {
    return chooseModel(client, await listModels(client, signal))
  } catch (error) {
    // A model that is named is asked, whatever the list looks like: what counts is whether it answers.
    if (model !== undefined && hasResponded(error)) return { id: model, contextTokens }
    throw error
  }
}

/** Whether somebody answered, whatever it was; not where there is no connection, or nothing came in time. */
function hasResponded(error: unknown): boolean {
  return error instanceof MediaError && (!error.retryable || httpErrorCause(error) !== undefined)
}
