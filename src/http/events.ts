import type { WebSocket } from '@fastify/websocket'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../accounts/keys.ts'
import { MediaError } from '../contract/errors.ts'
import { rawRoutes } from '../contract/routes.ts'
import { subscribeMessage, type SubscribeMessage, type TaskEvent } from '../contract/task.ts'
import type { Service } from '../tasks/service.ts'
import { eventsAfter, findTask, lastSeq } from '../tasks/store.ts'
import { callerOf } from './admission.ts'
import { failureEnvelope } from './failures.ts'

/** Largest message a client may send, bytes. */
export const maxMessageBytes = 4096

/** A reader this far behind is cut off; it can come back and ask for what came after, bytes. */
const maxBehindBytes = 2 ** 20

/** Replayed events are read in portions of this many. */
const portion = 500

/** A connection that answers no ping for this long is closed, ms. */
const pingEveryMs = 30_000

/** WebSocket `GET /task/events`: snapshots, then every status change, and progress. */
export function eventRoutes(app: FastifyInstance, service: Service): void {
  app.get(rawRoutes.taskEvents.path, { websocket: true }, (socket, request) => {
    const subscriber = new Subscriber(service, callerOf(request), socket)
    socket.on('message', (data: Buffer) => void subscriber.receive(data.toString()))
    socket.on('close', () => subscriber.end())
    // A broken frame or a cut connection; `close` follows.
    socket.on('error', () => undefined)
    keepAlive(socket)
  })
}

function keepAlive(socket: WebSocket): void {
  let answered = true
  const timer = setInterval(() => {
    if (!answered) return socket.terminate()
    answered = false
    socket.ping()
  }, pingEveryMs)
  timer.unref()
  socket.on('pong', () => (answered = true))
  socket.on('close', () => clearInterval(timer))
}

/** One client's subscriptions. */
class Subscriber {
  readonly #service: Service
  readonly #caller: Caller
  readonly #socket: WebSocket
  readonly #ends = new Map<string, () => void>()

  constructor(service: Service, caller: Caller, socket: WebSocket) {
    this.#service = service
    this.#caller = caller
    this.#socket = socket
  }

  end(): void {
    for (const end of this.#ends.values()) end()
  }

  async receive(text: string): Promise<void> {
    try {
      await this.#subscribe(parse(text))
    } catch (error) {
      if (!(error instanceof MediaError)) this.#service.log.error({ err: error }, 'a subscription failed')
      const told = error instanceof MediaError ? error : new MediaError(6500, 'internal error')
      const { code, msg } = failureEnvelope(told)
      this.#send({ event: 'error', code, msg })
    }
  }

  async #subscribe(message: SubscribeMessage): Promise<void> {
    const { accountId } = this.#caller
    const one = 'task_id' in message ? message.task_id : undefined
    const live = new LiveEvents((event) => this.#send(event), one)
    const stop = this.#service.events.follow(accountId, (event) => live.take(event))
    // Subscribing again replaces.
    this.#ends.get(one ?? '')?.()
    this.#ends.set(one ?? '', stop)
    try {
      live.start(
        'task_id' in message ? await this.#snapshot(message.task_id) : await this.#replay(message.after),
      )
    } catch (error) {
      stop()
      throw error
    }
  }

  /** Sends the task as it is; what changes meanwhile is waiting behind it. Answers the number it stands for. */
  async #snapshot(taskId: string): Promise<number> {
    const seq = await lastSeq(this.#service.db, this.#caller.accountId)
    this.#send({ event: 'snapshot', seq, task: await findTask(this.#service.db, this.#caller, taskId) })
    return seq
  }

  /** Sends what came after a number, or from where the account stands now. */
  async #replay(after: number | undefined): Promise<number> {
    const { accountId } = this.#caller
    if (after === undefined) {
      const seq = await lastSeq(this.#service.db, accountId)
      this.#send({ event: 'snapshot', seq, task: null })
      return seq
    }
    let reached = after
    for (;;) {
      const events = await eventsAfter(this.#service.db, { accountId, seq: reached, limit: portion })
      for (const event of events) this.#send({ event: 'status', ...event })
      reached = events.at(-1)?.seq ?? reached
      if (events.length < portion || this.#socket.readyState !== this.#socket.OPEN) return reached
    }
  }

  #send(event: TaskEvent): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    if (this.#socket.bufferedAmount > maxBehindBytes) {
      // 1013, try again later (RFC 6455 registry).
      this.#socket.close(1013, 'too slow')
      return
    }
    this.#socket.send(JSON.stringify(event))
  }
}

type Happening = Extract<TaskEvent, { event: 'status' | 'progress' }>

/** Holds back what happens until the past has been sent, then lets through what is newer. */
class LiveEvents {
  readonly #send: (event: Happening) => void
  readonly #taskId: string | undefined
  #waiting: Happening[] | undefined = []
  #reached = 0

  constructor(send: (event: Happening) => void, taskId: string | undefined) {
    this.#send = send
    this.#taskId = taskId
  }

  take(event: Happening): void {
    if (this.#taskId !== undefined && event.task.task_id !== this.#taskId) return
    if (this.#waiting) this.#waiting.push(event)
    else this.#pass(event)
  }

  start(reached: number): void {
    this.#reached = reached
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    for (const event of waiting) this.#pass(event)
  }

  #pass(event: Happening): void {
    if (event.event === 'status') {
      if (event.seq <= this.#reached) return
      this.#reached = event.seq
    }
    this.#send(event)
  }
}

function parse(text: string): SubscribeMessage {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new MediaError(6016, 'a message must be JSON')
  }
  const message = subscribeMessage.safeParse(json)
  if (message.success) return message.data
  throw new MediaError(
    6016,
    'a message is {"action":"subscribe","task_id":"…"} or {"action":"subscribe","all":true,"after":seq}',
  )
}
