import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import multipart from '@fastify/multipart'
import websocket from '@fastify/websocket'
import fastify, { type FastifyInstance } from 'fastify'
import { newId } from '../../src/contract/id.ts'
import { extensionOf } from '../../src/contract/file.ts'
import { downloadUrl } from '../../src/contract/routes.ts'
import { isTerminal, type TaskState } from '../../src/contract/task.ts'
import { createHasher } from '../../src/platform/hash.ts'

/** A file the double holds. */
export interface HeldFile {
  readonly id: string
  readonly name: string
  readonly bytes: Buffer
  readonly blake3: string
}

/** A task of the double; the test moves it. */
export interface HeldTask {
  readonly id: string
  readonly type: string
  readonly body: Record<string, unknown>
  status: TaskState
  progress: number
  output: Record<string, unknown> | null
}

/** The service's HTTP contract spoken by a real server in memory; what it does with tasks is the test's. */
export interface ContractServer extends AsyncDisposable {
  readonly baseUrl: string
  readonly apiKey: string
  readonly files: Map<string, HeldFile>
  readonly tasks: Map<string, HeldTask>
  /** Every request as `METHOD path`. */
  readonly requests: string[]
  /** Holds a file as if it had been uploaded. */
  hold(name: string, bytes: Buffer): Promise<HeldFile>
  /** Changes a task and tells the event socket. */
  move(id: string, change: Partial<Pick<HeldTask, 'status' | 'progress' | 'output'>>): void
  /** Called before each answer; may break the connection. */
  before: (request: IncomingMessage, response: ServerResponse) => void
  /** What creation does with a task; at first it completes at once with a copy of the first file. */
  onCreate: (task: HeldTask) => void
  /** Bytes after which a download's connection breaks, once each. */
  readonly breaks: number[]
  /** Forgets how to answer ranges. */
  ignoreRanges: boolean
  /** Holds uploads back until it is resolved. */
  uploadGate: Promise<void>
  /** What came on event sockets. */
  readonly subscriptions: unknown[]
  /** Sockets that follow events. */
  readonly followers: Set<{ send(text: string): void; close(): void }>
}

const apiKey = 'test-key'
const moment = '2026-01-02T03:04:05.000Z'

/** Starts the double on a free port of this machine. */
export async function startContractServer(): Promise<ContractServer> {
  const app = fastify({ logger: false, forceCloseConnections: true })
  await app.register(multipart, { limits: { fileSize: 2 ** 30 } })
  await app.register(websocket)
  /** Number of the latest event. */
  let seq = 0
  const double: ContractServer = {
    baseUrl: '',
    apiKey,
    files: new Map(),
    tasks: new Map(),
    requests: [],
    subscriptions: [],
    followers: new Set(),
    breaks: [],
    ignoreRanges: false,
    uploadGate: Promise.resolve(),
    before: () => undefined,
    onCreate: (task) => completeWithFirstFile(double, task),
    async hold(name, bytes) {
      const hasher = await createHasher()
      hasher.update(bytes)
      const file = { id: newId(), name, bytes, blake3: hasher.digest() }
      double.files.set(file.id, file)
      return file
    },
    move(id, change) {
      const task = Object.assign(heldTask(double, id), change)
      seq += 1
      const event = { event: 'status', seq, task: taskRecord(task) }
      for (const follower of double.followers) follower.send(JSON.stringify(event))
    },
    async [Symbol.asyncDispose]() {
      for (const follower of double.followers) follower.close()
      await app.close()
    },
  }
  app.addHook('onRequest', async (request, reply) => {
    double.requests.push(`${request.method} ${request.url.split('?')[0]}`)
    double.before(request.raw, reply.raw)
    if (request.headers.authorization !== apiKey) await fail(reply, [6502, 401], 'bad key')
  })
  serveFiles(app, double)
  serveTasks(app, double)
  serveEvents(app, double, () => seq)
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  return Object.assign(double, { baseUrl: address })
}

function completeWithFirstFile(double: ContractServer, task: HeldTask): void {
  const [file] = double.files.values()
  task.status = 'completed'
  task.progress = 100
  task.output = file ? { file_id: file.id, download_url: downloadUrl(file.id), duration_ms: 1500 } : {}
}

function heldTask(double: ContractServer, id: string): HeldTask {
  const task = double.tasks.get(id)
  if (!task) throw new Error(`the double has no task ${id}`)
  return task
}

interface Reply {
  code(status: number): Reply
  send(body: unknown): unknown
}

function fail(reply: Reply, [code, status]: readonly [number, number], msg: string): unknown {
  return reply.code(status).send({ code, msg, data: null })
}

const ok = (data: unknown): unknown => ({ code: 200, msg: 'success', data })

function fileRecord({ id, name, bytes, blake3 }: HeldFile): Record<string, unknown> {
  return {
    file_id: id,
    original_name: name,
    size: bytes.length,
    blake3_id: blake3,
    base_ext: extensionOf(name),
    download_url: downloadUrl(id),
    created_at: moment,
    expire_at: moment,
    is_expired: false,
  }
}

function taskRecord({ id, type, status, progress, output }: HeldTask): Record<string, unknown> {
  const times = { create_time: moment, update_time: moment }
  return { task_id: id, id, task_type: type, status, progress, output_result: output, ...times }
}

function serveFiles(app: FastifyInstance, double: ContractServer): void {
  app.post('/base/file/upload', async (request, reply) => {
    const part = await request.file()
    if (!part) return fail(reply, [6013, 400], 'file missing')
    const bytes = await part.toBuffer()
    await double.uploadGate
    return ok(fileRecord(await double.hold(part.filename, bytes)))
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
    const end = double.breaks.shift()
    if (end === undefined) return raw.end(file.bytes.subarray(from))
    raw.write(file.bytes.subarray(from, end), () => setImmediate(() => raw.destroy()))
    return undefined
  })
}

function serveTasks(app: FastifyInstance, double: ContractServer): void {
  app.get('/base/capabilities', async () =>
    ok({
      protocol_version: 2,
      version: '0.0.0-test',
      operations: [{ name: 'video_split_screen', title: 'x', ready: true, missing: null, price: '1 credit' }],
      limits: {
        max_file_bytes: 2 ** 30,
        part_bytes: 2 ** 25,
        upload_session_hours: 72,
        max_body_bytes: 2 ** 25,
        retention_days: 60,
        page_size: 20,
        max_page_size: 100,
      },
      credits: { balance: 100 },
      tasks: { queued: 0, processing: 0 },
    }),
  )
  app.get('/task/list', async () => {
    const list = [...double.tasks.values()].toReversed().map((task) => ({
      id: task.id,
      status: task.status,
      priority: 'normal',
      progress: task.progress,
      estimated_duration: 12,
      estimated_queue_wait_duration: 40,
      actual_duration: null,
      process_start_time: null,
      finish_time: null,
      create_time: moment,
      task_type_key: task.type,
      task_type_name: 'Split screen',
    }))
    return ok({ list, total: list.length, page: 1, page_size: 20 })
  })
  app.post<{ Params: { type: string }; Body: Record<string, unknown> }>('/task/:type', (request, reply) => {
    const { type } = request.params
    const task: HeldTask = {
      id: newId(),
      type,
      body: request.body,
      status: 'queued',
      progress: 0,
      output: null,
    }
    double.tasks.set(task.id, task)
    double.onCreate(task)
    void reply.send(ok({ task_id: task.id, task_type: type, status: 'queued' }))
  })
  app.get<{ Params: { type: string; id: string } }>('/task/:type/:id', async (request, reply) => {
    const task = double.tasks.get(request.params.id)
    const found = task?.type === request.params.type
    return found ? ok(taskRecord(task)) : fail(reply, [6005, 404], 'no such task')
  })
  app.post<{ Params: { id: string } }>('/task/:id/cancel', async (request, reply) => {
    const task = double.tasks.get(request.params.id)
    if (!task) return fail(reply, [6005, 404], 'no such task')
    if (task.status !== 'queued') return fail(reply, [6007, 409], 'already under way')
    double.move(task.id, { status: 'cancelled' })
    return ok('')
  })
  app.post<{ Params: { id: string } }>('/task/:id/stop', async (request, reply) => {
    const task = double.tasks.get(request.params.id)
    if (!task) return fail(reply, [6005, 404], 'no such task')
    if (isTerminal(task.status)) return fail(reply, [6007, 409], 'already ended')
    const error = { code: 6009, message: 'stopped on request', retryable: false }
    double.move(
      task.id,
      task.status === 'processing' ? { status: 'failed', output: { error } } : { status: 'cancelled' },
    )
    return ok(taskRecord(task))
  })
}

function serveEvents(app: FastifyInstance, double: ContractServer, latest: () => number): void {
  app.get('/task/events', { websocket: true }, (socket) => {
    socket.on('message', (message: Buffer) => {
      double.subscriptions.push(JSON.parse(message.toString()))
      socket.send(JSON.stringify({ event: 'snapshot', seq: latest(), task: null }))
      double.followers.add(socket)
    })
    socket.on('close', () => double.followers.delete(socket))
  })
}

/** A bare HTTP server whose every answer the test writes. */
export async function startBareServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<AsyncDisposable & { readonly baseUrl: string }> {
  const server = createServer(answer)
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
