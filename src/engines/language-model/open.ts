import { MediaError } from '../../contract/errors.ts'
import { isLocalNetworkHost, parseServiceAddress, serviceName } from '../services/services.ts'
import { openClient, defaultConcurrency, type ClientOptions, type ServiceClient } from '../services/client.ts'
import { httpErrorCause } from '../services/failures.ts'
import { requireService } from '../services/configured.ts'
import type { AskTaskQuestions } from '../../contract/questions.ts'
import { createAgentModel } from './agent-model.ts'
import { askModel, type ModelConnection } from './ask.ts'
import type { LanguageModel } from './language-model.ts'
import { questionMessages, estimateMessageTokens } from './messages.ts'
import { chooseModel, listModels, type ListedModel } from './models.ts'

/** A local model may take minutes to load and reason. Responses are not streamed, so both times are equal. */
const clientLimits = { firstByteMs: 600_000, wholeMs: 600_000, maxBytes: 16 * 2 ** 20 }

/** Context size in tokens if it is unknown: Ollama's default for local servers, a common size for hosted models. */
const defaultContext = { nearby: 4096, hosted: 16_384 }

interface OpenOptions extends ClientOptions {
  readonly signal: AbortSignal
  /** Asks the agent that created the task; absent if a configured model answers. */
  readonly askTask?: AskTaskQuestions | undefined
}

/**
 * Opens the language model of a task: its agent, or the configured one. Throws 6401 if there is none, and the errors of
 * its service.
 */
export async function openLanguageModel({
  signal,
  askTask,
  ...options
}: OpenOptions): Promise<LanguageModel> {
  if (askTask) return createAgentModel(askTask)
  const service = requireService('language_model')
  const client = openClient({ kind: 'language_model', service }, { ...clientLimits, ...options })
  try {
    const { id, contextTokens } = await findModel(client, signal)
    const named = {
      ...client,
      target: { kind: 'language_model', service: { ...service, model: id } },
    } as const
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

function createLanguageModel(connection: ModelConnection): LanguageModel {
  const { client, contextTokens, usage } = connection
  return {
    name: serviceName(client.target.service),
    remembers: false,
    contextTokens,
    concurrency: client.target.service.concurrency ?? defaultConcurrency,
    usage,
    ask: (question) => askModel(connection, question),
    inputTokenBudget(question) {
      const initial = questionMessages({ ...question, input: {} })
      return Math.max(0, contextTokens - question.maxTokens - estimateMessageTokens(initial))
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

/** Returns the model and its context size from the settings, otherwise from the server's list. */
async function findModel(client: ServiceClient, signal: AbortSignal): Promise<ListedModel> {
  const { model, context_tokens: contextTokens = null } = requireService('language_model')
  if (model !== undefined && contextTokens !== null) return { id: model, contextTokens }
  try {
    return chooseModel(client, await listModels(client, signal))
  } catch (error) {
    // A named model is used even if the list is unusable.
    if (model !== undefined && hasResponded(error)) return { id: model, contextTokens }
    throw error
  }
}

/** Whether a server responded at all, rather than no connection or a timeout. */
function hasResponded(error: unknown): boolean {
  return error instanceof MediaError && (!error.retryable || httpErrorCause(error) !== undefined)
}
