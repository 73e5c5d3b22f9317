import type { WebSocket } from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../accounts/keys.ts'
import { issueEventTicket } from '../accounts/tickets.ts'
import { MediaError } from '../contract/errors.ts'
import { toTimestamp } from '../contract/fields.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import { subscribeMessage, type SubscribeMessage, type TaskEvent } from '../contract/task.ts'
import { parseJson } from '../contract/bounded-json.ts'
import { listEventsAfter, retainedEventRange } from '../tasks/events.ts'
import type { Service } from '../tasks/service.ts'
import { snapshotTask } from '../tasks/records.ts'
import { authenticatedCaller } from './authentication.ts'
import { withRequestLog } from './request-log.ts'
import { failureEnvelope, success } from './responses.ts'
import { withAbsoluteLinks } from './task-routes.ts'

/** Largest message from a client, bytes. */
export const maxClientMessageBytes = 4096

const maxTaskSubscriptions = 100

/** How long clients have to close their sockets at shutdown, ms. */
const socketCloseTimeoutMs = 1_000

/** WebSocket `GET /task/events` (snapshots, then status changes and progress) and its tickets. */
export function registerEventRoutes(app: FastifyInstance, service: Service, idleTimeoutMs: number): void {
  app.addHook('onRequest', async ({ ws, routeOptions }) => {
    if (ws && routeOptions.url !== rawRoutes.taskEvents.path) {
      throw new MediaError(6016, 'only /task/events supports a protocol upgrade', {
        hint: 'Connect to /task/events.',
      })
    }
  })
  app.post(routes.eventTicket.path, async (request) => {
    const { ticket, expireAt } = await issueEventTicket(
      service.db,
      authenticatedCaller(request),
      service.clock(),
    )
    return success({ ticket, expires_at: toTimestamp(expireAt) })
  })
  app.route({
    method: 'GET',
    url: rawRoutes.taskEvents.path,
    handler: async () => {
      throw new MediaError(6016, 'this endpoint is a WebSocket', { hint: 'Connect with a WebSocket client.' })
    },
    wsHandler: (socket, request) => {
      const subscriber = new EventConnection(withRequestLog(service, request), request, socket)
      socket.on('message', (data: Buffer) => subscriber.receive(data.toString()))
      socket.on('close', () => subscriber[Symbol.dispose]())
      // An invalid frame or a lost connection; `close` follows.
      socket.on('error', () => undefined)
      keepAlive(socket, idleTimeoutMs / 2)
    },
  })
  app.addHook('preClose', async () => {
    const sockets = app.websocketServer.clients
    setTimeout(() => sockets.forEach((socket) => socket.terminate()), socketCloseTimeoutMs).unref()
  })
}

/** Terminates a connection when a ping is not answered before the next one. */
function keepAlive(socket: WebSocket, everyMs: number): void {
  let answered = true
  const timer = setInterval(() => {
    if (!answered) return socket.terminate()
    answered = false
    socket.ping()
  }, everyMs)
  timer.unref()
  socket.on('pong', () => (answered = true))
  socket.on('close', () => clearInterval(timer))
}

/** The subscriptions of one client. */
class EventConnection implements Disposable {
  readonly #service: Service
  readonly #caller: Caller
  readonly #address: string
  readonly #socket: WebSocket
  /** By task id; the empty key subscribes to all tasks. */
  readonly #subscriptions = new Map<string, Subscription>()

  constructor(service: Service, request: FastifyRequest, socket: WebSocket) {
    this.#service = service
    this.#caller = authenticatedCaller(request)
    this.#address = request.address
    this.#socket = socket
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions.values()) subscription[Symbol.dispose]()
  }

  receive(text: string): void {
    try {
      this.#subscribe(parseSubscribeMessage(text))
    } catch (error) {
      this.#refuse(error)
    }
  }

  #subscribe(message: SubscribeMessage): void {
    const target = 'task_id' in message ? { taskId: message.task_id } : { after: message.after }
    const name = target.taskId ?? ''
    // A repeated subscription replaces the earlier one.
    this.#subscriptions.get(name)?.[Symbol.dispose]()
    if (this.#subscriptions.size === maxTaskSubscriptions && !this.#subscriptions.has(name)) {
      throw new MediaError(6016, `a connection can subscribe to at most ${maxTaskSubscriptions} tasks`, {
        hint: 'Subscribe to all tasks: {"action":"subscribe","all":true}.',
      })
    }
    const sink: EventSink = {
      send: (event) => this.#send(event),
      close: (error) => {
        this.#subscriptions.delete(name)
        // The client does not read, so no error can be sent.
        if (error === null) this.#socket.terminate()
        else this.#refuse(error)
      },
    }
    this.#subscriptions.set(name, new Subscription(this.#service, this.#caller, { ...target, sink }))
  }

  #refuse(error: unknown): void {
    if (!(error instanceof MediaError)) this.#service.log.error({ err: error }, 'a subscription failed')
    const failure = error instanceof MediaError ? error : new MediaError(6500, 'internal error')
    const { code, msg } = failureEnvelope(failure)
    void this.#send({ event: 'error', code, msg })
  }

  /** Resolves when the event was sent, or when the connection is lost. */
  #send(event: TaskEvent): Promise<void> {
    const message =
      'task' in event && event.task !== null
        ? { ...event, task: withAbsoluteLinks(this.#service, this.#address, event.task) }
        : event
    return new Promise((resolve) => this.#socket.send(JSON.stringify(message), () => resolve()))
  }
}

function parseSubscribeMessage(text: string): SubscribeMessage {
  const message = subscribeMessage.safeParse(parseJson(text))
  if (message.success) return message.data
  throw new MediaError(
    6016,
    'a message must be {"action":"subscribe","task_id":"…"} or {"action":"subscribe","all":true,"after":seq}',
  )
}

/** One task, or all tasks of the account from now or after an event number. */
interface SubscriptionTarget {
  readonly taskId?: string | undefined
  readonly after?: number | undefined
}

/** Receiver of events. */
interface EventSink {
  /** Resolves when the event was sent. A slow reader delays it. */
  send(event: TaskEvent): Promise<void>
  /** Called when the subscription ends, with an error, or with null when the reader was too slow. */
  close(error: unknown): void
}

/** Events read per query. */
const eventBatchSize = 500

/** Progress is dropped for a reader that is this many events behind. */
const maxPendingForProgress = 100

/** A reader this many events behind is disconnected. It can reconnect and continue after its last event. */
const maxPendingEvents = 10_000

/**
 * Sends a snapshot, then every status event in order, without gaps or repeats, and progress in between.
 * Notifications in this process only trigger a read of the event table, because commits may be announced out of
 * order.
 */
class Subscription implements Disposable {
  readonly #service: Service
  readonly #caller: Caller
  readonly #target: SubscriptionTarget
  readonly #sink: EventSink
  readonly #unsubscribe: () => void
  #queue: Promise<void> = Promise.resolve()
  #pending = 0
  #lastSeq = 0
  #ended = false

  constructor(
    service: Service,
    caller: Caller,
    { sink, ...target }: SubscriptionTarget & { readonly sink: EventSink },
  ) {
    this.#service = service
    this.#caller = caller
    this.#target = target
    this.#sink = sink
    // Before the snapshot, so that no event is missed.
    this.#unsubscribe = service.events.subscribe(caller.accountId, (event) => this.#receive(event))
    this.#enqueue(() => this.#sendSnapshot())
  }

  [Symbol.dispose](): void {
    this.#ended = true
    this.#unsubscribe()
  }

  #receive(event: Exclude<TaskEvent, { event: 'snapshot' | 'error' }>): void {
    if (this.#target.taskId !== undefined && event.task.task_id !== this.#target.taskId) return
    if (event.event === 'progress') {
      if (this.#pending < maxPendingForProgress) this.#enqueue(() => this.#sink.send(event))
      return
    }
    const { seq } = event
    this.#enqueue(() => this.#sendUpTo(seq))
  }

  /** Runs steps one after another, so that events are sent in order. */
  #enqueue(step: () => Promise<void>): void {
    if (this.#ended) return
    if (this.#pending === maxPendingEvents) return this.#fail(null)
    this.#pending += 1
    this.#queue = this.#queue
      .then(() => (this.#ended ? undefined : step()))
      .then(
        () => void (this.#pending -= 1),
        (error: unknown) => this.#fail(error),
      )
  }

  #fail(error: unknown): void {
    if (this.#ended) return
    this[Symbol.dispose]()
    this.#sink.close(error)
  }

  async #sendSnapshot(): Promise<void> {
    const { taskId, after } = this.#target
    if (taskId !== undefined) {
      const { seq, task } = await snapshotTask(this.#service.db, this.#caller, taskId)
      this.#lastSeq = seq
      return await this.#sink.send({ event: 'snapshot', seq, task })
    }
    const { removed, last } = await retainedEventRange(this.#service.db, this.#caller.accountId)
    // Number of the last event before this subscription. A number that was never reached is of another database.
    this.#lastSeq = Math.min(Math.max(after ?? last, removed), last)
    await this.#sink.send({ event: 'snapshot', seq: this.#lastSeq, task: null })
    await this.#sendUpTo(last)
  }

  async #sendUpTo(seq: number): Promise<void> {
    const { db } = this.#service
    const { accountId } = this.#caller
    while (this.#lastSeq < seq && !this.#ended) {
      const events = await listEventsAfter(db, { accountId, seq: this.#lastSeq, limit: eventBatchSize })
      if (events.length === 0) return
      for (const event of events) {
        // Later events have their own step, after progress that was announced before them.
        if (event.seq > seq || this.#ended) return
        this.#lastSeq = event.seq
        if (this.#target.taskId === undefined || event.task.task_id === this.#target.taskId) {
          await this.#sink.send({ event: 'status', ...event })
        }
      }
    }
  }
}
