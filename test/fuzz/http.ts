import { Agent, request } from 'undici'
import type { ApiOperation, OpenApiDocument } from '../../src/http/openapi.ts'
import { form, formType } from '../http/raw-http.ts'
import { assertDocumented } from '../service/assert-documented.ts'
import { Values, type Random } from './values.ts'

interface HttpFuzzerOptions {
  readonly baseUrl: string
  readonly apiKey: string
  /** The service's API document. */
  readonly document: OpenApiDocument
  /** Ids of existing files. */
  readonly files: readonly string[]
}

/** Figures of a run. */
export interface HttpFuzzResult {
  readonly requests: number
  /** Responses by status. */
  readonly statuses: Readonly<Record<string, number>>
  /** The slowest response, ms. */
  readonly slowest: number
}

interface GeneratedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: string | Buffer
}

/** Most stored ids; later ones replace earlier ones. */
const maxKnown = 200

/** Longest response time of any request, ms. */
const responseTimeoutMs = 20_000

const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']

/** Share of requests for operations. */
const taskShare = 0.4

/** Sends valid, almost valid and invalid requests to every endpoint. */
export class HttpFuzzer {
  readonly #subject: HttpFuzzerOptions
  readonly #values: Values
  /** Ids returned by the service, by kind. */
  readonly #known: Record<string, string[]>
  readonly #endpoints: readonly {
    readonly path: string
    readonly method: string
    readonly api: ApiOperation
    readonly isOfTask: boolean
  }[]
  readonly #agent = new Agent({ headersTimeout: responseTimeoutMs, bodyTimeout: responseTimeoutMs })
  readonly #statuses: Record<string, number> = {}
  #requests = 0
  #slowest = 0

  constructor(subject: HttpFuzzerOptions, random: Random) {
    this.#subject = subject
    const files = [...subject.files]
    this.#known = { file_id: files, task_id: [], upload_id: [] }
    this.#values = new Values(random, files)
    this.#endpoints = Object.entries(subject.document.paths).flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, api]) => ({
        ...{ path, method: verb.toUpperCase(), api },
        isOfTask: /^\/task\/[a-z]\w*_/.test(path),
      })),
    )
  }

  /** Sends this many requests, a few at a time. Throws on an unexpected 500, an undocumented response or a timeout. */
  async run(count: number, atOnce = 4): Promise<void> {
    let remaining = count
    const send = async (): Promise<void> => {
      while (remaining > 0) {
        remaining -= 1
        await this.#send(this.#generate())
      }
    }
    await Promise.all(Array.from({ length: atOnce }, send))
  }

  figures(): HttpFuzzResult {
    return { requests: this.#requests, statuses: this.#statuses, slowest: Math.round(this.#slowest) }
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }

  #generate(): GeneratedRequest {
    const values = this.#values
    const isOfTask = values.chance(taskShare)
    const { path, method, api } = values.pick(this.#endpoints.filter((each) => isOfTask === each.isOfTask))
    const headers: Record<string, string> = {
      authorization: values.chance(0.97) ? this.#subject.apiKey : ascii(values.hostileText()),
    }
    for (const { name } of api.parameters.filter((each) => each.in === 'header')) {
      if (values.chance(0.3)) headers[name.toLowerCase()] = ascii(values.hostileText())
    }
    const query = new URLSearchParams()
    for (const { name, schema } of api.parameters.filter((each) => each.in === 'query')) {
      const value = values.chance(0.7) ? values.fitting(schema) : values.hostile()
      if (values.chance(0.6)) query.append(name, text(value))
      if (values.chance(0.02)) query.append(name, text(values.hostile()))
    }
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => this.#parameter(name))
    const queryString = query.size > 0 ? `?${query.toString()}` : ''
    const content = this.#content(api)
    return {
      method: values.chance(0.97) ? method : values.pick(methods),
      path: `${filled}${queryString}`,
      headers: { ...headers, ...content?.headers },
      ...(content && { body: content.body }),
    }
  }

  #parameter(name: string): string {
    const values = this.#values
    const known = this.#known[name] ?? []
    if (known.length > 0 && values.chance(0.8)) return values.pick(known)
    if (values.chance(0.3)) return String(values.integer(-1, 40))
    return encodeURIComponent(values.hostileText().toWellFormed()).slice(0, 2000) || '-'
  }

  #content({ requestBody }: ApiOperation) {
    const values = this.#values
    const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
    if (type === undefined || !media) return undefined
    if (type === 'multipart/form-data') return this.#form()
    if (type !== 'application/json')
      return { headers: { 'content-type': type }, body: Buffer.alloc(values.integer(0, 9)) }
    const headers = {
      'content-type': values.chance(0.97) ? type : ascii(values.hostileText()) || 'text/plain',
    }
    const fitting = values.fitting(media.schema)
    if (values.chance(0.5)) return { headers, body: text(fitting) }
    const corrupted = text(values.corrupted(fitting))
    if (values.chance(0.8)) return { headers, body: corrupted }
    const broken = [
      corrupted.slice(0, values.integer(0, corrupted.length)),
      '['.repeat(20_000),
      `{"a":`.repeat(5000),
      '{"file_id":"1","file_id":"2"}',
      '{"__proto__":{"file_id":"1"}}',
      '1e999',
      values.hostileText(),
    ]
    return { headers, body: values.pick(broken) }
  }

  #form() {
    const values = this.#values
    const filename = values.chance(0.4) ? `${values.integer(0, 99)}.txt` : values.hostileText()
    const content = values.chance(0.8) ? text(values.hostile()) : Buffer.alloc(values.integer(0, 5000), 'x')
    const field = values.chance(0.9) ? 'file' : values.hostileText()
    const body = form([{ field, filename, content }], { closed: values.chance(0.9) })
    return { headers: { 'content-type': values.chance(0.95) ? formType : 'multipart/form-data' }, body }
  }

  async #send(sent: GeneratedRequest): Promise<void> {
    const began = performance.now()
    const {
      statusCode: status,
      headers,
      body: stream,
    } = await request(this.#subject.baseUrl + sent.path, {
      method: sent.method,
      headers: sent.headers,
      body: sent.body ?? null,
      dispatcher: this.#agent,
    }).catch((error: unknown) => {
      throw new Error(`no response to ${describe(sent)}`, { cause: error })
    })
    const body = await stream.text()
    this.#slowest = Math.max(this.#slowest, performance.now() - began)
    this.#requests += 1
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1
    // A missing model or service is not a failure.
    const isMissing = body.startsWith('{"code":6401') && body.includes('"retryable":false')
    // Neither is a timeout: some requests start work that never ends.
    const isWaiting = body.startsWith('{"code":6402') && body.includes('did not finish this task in time')
    if ((status >= 500 && !isMissing && !isWaiting) || body.startsWith('{"code":6500')) {
      throw new Error(`${status} to ${describe(sent)}: ${body.slice(0, 500)}`)
    }
    const type = headers['content-type']
    try {
      assertDocumented({ ...sent, status, type: type === undefined ? null : String(type), body })
    } catch (error) {
      throw new Error(`invalid response to ${describe(sent)}`, { cause: error })
    }
    this.#collectIds(body)
  }

  /** Collects ids of a response, so that later requests use what earlier ones created. */
  #collectIds(body: string): void {
    for (const [, name = '', id = ''] of body.matchAll(/"(file_id|task_id|upload_id)":"(\d{19})"/g)) {
      const known = this.#known[name] ?? []
      const protectedCount = name === 'file_id' ? this.#subject.files.length : 0
      if (known.length < maxKnown) known.push(id)
      else known[this.#values.integer(protectedCount, maxKnown - 1)] = id
    }
  }
}

/** As sent; values without a JSON form are omitted. */
function text(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** Characters allowed in a header: the client rejects all others. */
function ascii(value: string): string {
  return value.replaceAll(/[^\u0020-\u007e]/g, '').slice(0, 2000)
}

function describe({ method, path, headers, body = '' }: GeneratedRequest): string {
  const { authorization: _, ...otherHeaders } = headers
  return `${method} ${path.slice(0, 300)} ${JSON.stringify(otherHeaders).slice(0, 300)} ${body.toString().slice(0, 1000)}`
}
