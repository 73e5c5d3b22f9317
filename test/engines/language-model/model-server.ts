import { configureServices } from '../../../src/engines/services/configured.ts'
import { openLanguageModel } from '../../../src/engines/language-model/open.ts'
import type { LanguageModelService } from '../../../src/engines/services/services.ts'
import {
  fails,
  json,
  startFakeService,
  type ReceivedRequest,
  type Reply,
  type FakeService,
} from '../services/fake-service.ts'

/** Body of a chat completion request of OpenAI's API. */
export interface ChatBody {
  readonly model: string
  readonly messages: readonly {
    readonly role: string
    readonly content:
      | string
      | readonly {
          readonly type: string
          readonly text?: string
          readonly image_url?: { readonly url: string }
        }[]
  }[]
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
  readonly temperature?: number
  readonly response_format?: {
    readonly type: string
    readonly json_schema?: Readonly<Record<string, unknown>>
  }
}

/** A fake server of language models, whose answers a test sets. */
export interface ModelServer extends FakeService {
  /** Requests received, without those for the list of models. */
  readonly asked: ChatBody[]
  /** Its list of models. */
  models: readonly Readonly<Record<string, unknown>>[]
  /** Returns the error message for a request; undefined to accept it. */
  minds: (body: ChatBody) => string | undefined
  /** Returns the answer as text or as an object, or another reply of the server. */
  says: (body: ChatBody, heard: ReceivedRequest) => unknown
  /** Replies that precede the answers, to simulate failures. */
  readonly faults: Reply[]
}

/** Starts a server with the model `small`. */
export async function startModelServer(says: ModelServer['says'] = () => ({})): Promise<ModelServer> {
  const standIn = await startFakeService()
  const server: ModelServer = Object.assign(standIn, {
    asked: [],
    models: [{ id: 'small' }],
    minds: () => undefined,
    says,
    faults: [],
  })
  server.otherwise = async (response, heard) => {
    if (heard.path.endsWith('/models')) return json({ object: 'list', data: server.models })(response, heard)
    if (!heard.path.endsWith('/chat/completions')) return fails(404)(response, heard)
    const body = JSON.parse(String(heard.body)) as ChatBody
    server.asked.push(body)
    const minded = server.minds(body)
    const fault = minded === undefined ? server.faults.shift() : fails(400, { error: { message: minded } })
    const reply = fault ?? replyOf(server.says(body, heard))
    await reply(response, heard)
  }
  return server
}

const replyOf = (said: unknown): Reply => (typeof said === 'function' ? (said as Reply) : completes(said))

/** Responds with an answer of the model, complete or truncated. */
export function completes(said: unknown, finish = 'stop', more: object = {}): Reply {
  const content = typeof said === 'string' ? said : JSON.stringify(said)
  const message = { role: 'assistant', content, ...more }
  return json({
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: finish, message }],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  })
}

/** Configures a server as the language model of this process. */
export function setModel(server: FakeService, more: Partial<LanguageModelService> = {}): void {
  configureServices({
    language_model: { address: `${server.origin}/v1`, model: 'small', context_tokens: 8192, ...more },
  })
}

/** Opens the configured model; waits take no time. */
export async function openModel(signal = new AbortController().signal) {
  return await openLanguageModel({ signal, pause: async () => undefined })
}
