import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import multipart from '@fastify/multipart'
import websocket from '@fastify/websocket'
import fastify, { type FastifyInstance } from 'fastify'
import type { Capabilities } from '../../src/contract/catalog.ts'
import type { OpenQuestion } from '../../src/contract/questions.ts'
import { newId } from '../../src/contract/fields.ts'
import { extensionOf } from '../../src/contract/file-kind.ts'
import { downloadUrl } from '../../src/contract/routes.ts'
import type { TaskState } from '../../src/contract/task.ts'
import { createHasher } from '../../src/platform/hash.ts'
import { serveQuestions, type StoredImage } from './contract-questions.ts'
import { fail, contractTime, ok } from './contract-responses.ts'
import { serveTasks, taskRecord } from './contract-tasks.ts'

/** A file of the test double. */
export interface StoredFile {
  readonly id: string
  readonly name: string
  readonly bytes: Buffer
  readonly blake3: string
}

/** A task of the test double. The test changes its state. */
export interface StoredTask {
  readonly id: string
  readonly type: string
  readonly body: Record<string, unknown>
  status: TaskState
  progress: number
  output: Record<string, unknown> | null
  note?: string
  questionsOpen?: number
}

/** An in-memory server with the service's HTTP contract. The test controls its tasks. */
export interface ContractServer extends AsyncDisposable {
  readonly baseUrl: string
  readonly apiKey: string
  readonly files: Map<string, StoredFile>
  readonly tasks: Map<string, StoredTask>
  /** Every request as `METHOD path`. */
  readonly requests: string[]
  /** Adds a file as if it had been uploaded. */
  addFile(name: string, bytes: Buffer): Promise<StoredFile>
  /** Changes a task and sends an event to all sockets. */
  updateTask(id: string, change: Partial<Omit<StoredTask, 'id' | 'type' | 'body'>>): void
  /** Called before each response. May break the connection. */
  beforeResponse: (request: IncomingMessage, response: ServerResponse) => void
  /** Open questions by task. */
  readonly questions: Map<string, readonly OpenQuestion[]>
  /** Called before the questions of a task are listed. */
  beforeQuestions: (taskId: string) => void
  /** Images of questions by path. */
  readonly questionImages: Map<string, StoredImage>
  /** Operations as the capabilities describe them. */
  operations: Capabilities['operations']
  /** Price of any task, credits. */
  price: number
  /** Processing time of every running task, seconds. */
  processingSeconds: number
  /** Called with each created task. Default: completes it immediately with a copy of the first file. */
  onCreate: (task: StoredTask) => void
  /** Byte offsets at which downloads break. Each entry applies once. */
  readonly downloadBreaks: number[]
  /** Ignore range requests. */
  ignoreRanges: boolean
  /** Uploads wait until this promise resolves. */
  uploadGate: Promise<void>
  /** Messages received on event sockets. */
  readonly subscriptions: unknown[]
  /** Sockets subscribed to events. */
  readonly eventSockets: Set<{ send(text: string): void; close(): void }>
}

const apiKey = 'test-key'

/** Starts the test double on a free local port. */
export async function startContractServer(): Promise<ContractServer> {
  const app = fastify({ logger: false, forceCloseConnections: true })
  await app.register(multipart, { limits: { fileSize: 2 ** 30 } })
  await app.register(websocket)
  /** Sequence number of the latest event. */
  let seq = 0
  const double: ContractServer = {
    baseUrl: '',
    apiKey,
    files: new Map(),
    tasks: new Map(),
    questions: new Map(),
    questionImages: new Map(),
    beforeQuestions: () => undefined,
    requests: [],
    subscriptions: [],
    eventSockets: new Set(),
    downloadBreaks: [],
    ignoreRanges: false,
    uploadGate: Promise.resolve(),
    operations: [{ name: 'video_split_screen', title: 'x', ready: true, missing: null, price: '1 credit' }],
    price: 1,
    processingSeconds: 3,
    beforeResponse: () => undefined,
    onCreate: (task) => completeWithFirstFile(double, task),
    async addFile(name, bytes) {
      const hasher = await createHasher()
      hasher.update(bytes)
      const blake3 = hasher.digest()
      // Like the service: files with the same content and extension are one file.
      const same = [...double.files.values()].find(
        (stored) => stored.blake3 === blake3 && extensionOf(stored.name) === extensionOf(name),
      )
      if (same) return same
      const file = { id: newId(), name, bytes, blake3 }
      double.files.set(file.id, file)
      return file
    },
    updateTask(id, change) {
      const task = Object.assign(storedTask(double, id), change)
      seq += 1
      const event = { event: 'status', seq, task: taskRecord(task) }
      for (const follower of double.eventSockets) follower.send(JSON.stringify(event))
    },
    async [Symbol.asyncDispose]() {
      for (const follower of double.eventSockets) follower.close()
      await app.close()
    },
  }
  app.addHook('onRequest', async (request, reply) => {
    double.requests.push(`${request.method} ${request.url.split('?')[0]}`)
    double.beforeResponse(request.raw, reply.raw)
    if (request.headers.authorization !== apiKey) await fail(reply, [6502, 401], 'bad key')
  })
  serveFiles(app, double)
  serveTasks(app, double)
  serveQuestions(app, double)
  serveEvents(app, double, () => seq)
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  return Object.assign(double, { baseUrl: address })
}

function completeWithFirstFile(double: ContractServer, task: StoredTask): void {
  const [file] = double.files.values()
  task.status = 'completed'
  task.progress = 100
  task.output = file ? { file_id: file.id, download_url: downloadUrl(file.id), duration_ms: 1500 } : {}
}

function storedTask(double: ContractServer, id: string): StoredTask {
  const task = double.tasks.get(id)
  if (!task) throw new Error(`the double has no task ${id}`)
  return task
}

function fileRecord({ id, name, bytes, blake3 }: StoredFile): Record<string, unknown> {
  return {
    file_id: id,
    original_name: name,
    size: bytes.length,
    blake3_id: blake3,
    base_ext: extensionOf(name),
    download_url: downloadUrl(id),
    created_at: contractTime,
    expire_at: contractTime,
    is_expired: false,
  }
}

function serveFiles(app: FastifyInstance, double: ContractServer): void {
  app.post('/base/file/upload', async (request, reply) => {
    const part = await request.file()
    if (!part) return fail(reply, [6013, 400], 'file missing')
    const bytes = await part.toBuffer()
    await double.uploadGate
    return ok(fileRecord(await double.addFile(part.filename, bytes)))
  })
  app.get<{ Params: { id: string } }>('/base/file/:id', async (request, reply) => {
    const file = double.files.get(request.params.id)
    return file ? ok({ ...fileRecord(file), upload_user_id: 1 }) : fail(reply, [6004, 404], 'no such file')
  })
  app.get<{ Params: { id: string } }>('/base/file/:id/facts', async (request, reply) => {
    const file = double.files.get(request.params.id)
    if (!file) return fail(reply, [6004, 404], 'no such file')
    return ok({ ...fileRecord(file), upload_user_id: 1, media: null })
  })
  app.get('/base/file/:id/preview', async (_request, reply) =>
    reply.type('image/png').send(Buffer.from('not really a picture')),
  )
  app.get<{ Params: { id: string } }>('/base/file/:id/download', async (request, reply) => {
    const file = double.files.get(request.params.id)
    if (!file) return fail(reply, [6004, 404], 'no such file')
    reply.hijack()
    const from = double.ignoreRanges
      ? 0
      : Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const { raw } = reply
    raw.writeHead(from > 0 ? 206 : 200, {
      'content-length': file.bytes.length - from,
      etag: `"${file.blake3}"`,
      ...(from > 0 && { 'content-range': `bytes ${from}-${file.bytes.length - 1}/${file.bytes.length}` }),
    })
    const end = double.downloadBreaks.shift()
    if (end === undefined) return raw.end(file.bytes.subarray(from))
    raw.write(file.bytes.subarray(from, end), () => setImmediate(() => raw.destroy()))
    return undefined
  })
}

function serveEvents(app: FastifyInstance, double: ContractServer, latest: () => number): void {
  app.get('/task/events', { websocket: true }, (socket) => {
    socket.on('message', (message: Buffer) => {
      double.subscriptions.push(JSON.parse(message.toString()))
      socket.send(JSON.stringify({ event: 'snapshot', seq: latest(), task: null }))
      double.eventSockets.add(socket)
    })
    socket.on('close', () => double.eventSockets.delete(socket))
  })
}

/** Starts a plain HTTP server. The test writes every response. */
export async function startBareServer(
  response: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<AsyncDisposable & { readonly baseUrl: string }> {
  const server = createServer(response)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
