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

/** A request of a conversation, as OpenAI's API writes it. */
export interface ChatBody {
  readonly model: string
  readonly messages: readonly {
    readonly role: string
    readonly content:
      | string
      | readonly { readonly type: string; readonly image_url?: { readonly url: string } }[]
  }[]
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
  readonly temperature?: number
  readonly response_format?: {
    readonly type: string
    readonly json_schema?: Readonly<Record<string, unknown>>
  }
}

/** A server that speaks the protocol of language models, and answers what a test tells it. */
export interface ModelServer extends FakeService {
  /** What it was asked, without the lists of models. */
  readonly asked: ChatBody[]
  /** What it has, as it lists it. */
  models: readonly Readonly<Record<string, unknown>>[]
  /** Refuses a request by these words; undefined where it takes it. */
  minds: (body: ChatBody) => string | undefined
  /** What the model says, as text or as an object, or how the server replies in its place. */
  says: (body: ChatBody, heard: ReceivedRequest) => unknown
  /** Replies that go before what it says: faults. */
  readonly faults: Reply[]
}

/** Starts one that has the model `small`. */
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

/** An answer of the model, at its end or cut off. */
export function completes(said: unknown, finish = 'stop', more: object = {}): Reply {
  const content = typeof said === 'string' ? said : JSON.stringify(said)
  const message = { role: 'assistant', content, ...more }
  return json({
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: finish, message }],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  })
}

/** Sets a server as the language model of this process. */
export function setModel(server: FakeService, more: Partial<LanguageModelService> = {}): void {
  configureServices({
    language_model: { address: `${server.origin}/v1`, model: 'small', context_tokens: 8192, ...more },
  })
}

/** Opens the model that is set; time does not pass while it waits. */
export async function openModel(signal = new AbortController().signal) {
  return await openLanguageModel({ signal, pause: async () => undefined })
}
