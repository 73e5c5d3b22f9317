import type { WebSocket } from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../accounts/keys.ts'
import { issueEventTicket } from '../accounts/tickets.ts'
import { MediaError } from '../contract/errors.ts'
import { toTimestamp } from '../contract/fields.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import { subscribeMessage, type SubscribeMessage, type TaskEvent } from '../contract/task.ts'
import { parseJson } from '../platform/text-formats.ts'
import { eventsAfter, keptEvents } from '../tasks/event-log.ts'
import type { Service } from '../tasks/service.ts'
import { snapshotTask } from '../tasks/store.ts'
import { authenticatedCaller } from './authentication.ts'
import { withRequestLog } from './request-log.ts'
import { failureEnvelope, success } from './responses.ts'
import { withAbsoluteLinks } from './task-routes.ts'

/** Largest message a client may send, bytes. */
export const maxMessageBytes = 4096

const maxTaskSubscriptions = 100

/** How long a client may take to say goodbye when the service ends, ms. */
const closeTimeoutMs = 1_000

/** WebSocket `GET /task/events`: snapshots, then every status change, and progress; and the tickets that open it. */
export function registerEventRoutes(app: FastifyInstance, service: Service, stalledMs: number): void {
  app.addHook('onRequest', async ({ ws, routeOptions }) => {
    if (ws && routeOptions.url !== rawRoutes.taskEvents.path) {
      throw new MediaError(6016, 'only events come over another protocol than HTTP')
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
      throw new MediaError(6016, 'events come over a WebSocket', { hint: 'Connect with a WebSocket client.' })
    },
    wsHandler: (socket, request) => {
      const subscriber = new EventConnection(withRequestLog(service, request), request, socket)
      socket.on('message', (data: Buffer) => subscriber.receive(data.toString()))
      socket.on('close', () => subscriber[Symbol.dispose]())
      // A broken frame or a cut connection; `close` follows.
      socket.on('error', () => undefined)
      keepAlive(socket, stalledMs / 2)
    },
  })
  app.addHook('preClose', async () => {
    const sockets = app.websocketServer.clients
    setTimeout(() => sockets.forEach((socket) => socket.terminate()), closeTimeoutMs).unref()
  })
}

/** Ends a connection on which a ping was not answered until the next. */
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

/** One client's subscriptions. */
class EventConnection implements Disposable {
  readonly #service: Service
  readonly #caller: Caller
  readonly #address: string
  readonly #socket: WebSocket
  /** By task id; all of them under the empty one. */
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
    const wish = 'task_id' in message ? { taskId: message.task_id } : { after: message.after }
    const name = wish.taskId ?? ''
    // Subscribing again begins anew.
    this.#subscriptions.get(name)?.[Symbol.dispose]()
    if (this.#subscriptions.size === maxTaskSubscriptions && !this.#subscriptions.has(name)) {
      throw new MediaError(6016, `one connection follows at most ${maxTaskSubscriptions} tasks`, {
        hint: 'Subscribe to all: {"action":"subscribe","all":true}.',
      })
    }
    const outlet: EventSink = {
      send: (event) => this.#send(event),
      close: (error) => {
        this.#subscriptions.delete(name)
        // It would not read a goodbye either.
        if (error === null) this.#socket.terminate()
        else this.#refuse(error)
      },
    }
    this.#subscriptions.set(name, new Subscription(this.#service, this.#caller, { ...wish, outlet }))
  }

  #refuse(error: unknown): void {
    if (!(error instanceof MediaError)) this.#service.log.error({ err: error }, 'a subscription failed')
    const told = error instanceof MediaError ? error : new MediaError(6500, 'internal error')
    const { code, msg } = failureEnvelope(told)
    void this.#send({ event: 'error', code, msg })
  }

  /** Resolves when the event has left; also when the connection is gone, which `close` tells. */
  #send(event: TaskEvent): Promise<void> {
    const told =
      'task' in event && event.task !== null
        ? { ...event, task: withAbsoluteLinks(this.#service, this.#address, event.task) }
        : event
    return new Promise((resolve) => this.#socket.send(JSON.stringify(told), () => resolve()))
  }
}

function parseSubscribeMessage(text: string): SubscribeMessage {
  const message = subscribeMessage.safeParse(parseJson(text))
  if (message.success) return message.data
  throw new MediaError(
    6016,
    'a message is the JSON {"action":"subscribe","task_id":"…"} or {"action":"subscribe","all":true,"after":seq}',
  )
}

/** What to follow: one task, or all of the account's from where it stands or after a number. */
interface SubscriptionTarget {
  readonly taskId?: string | undefined
  readonly after?: number | undefined
}

/** Where events go. */
interface EventSink {
  /** Resolves when the event is on its way; a reader that does not read keeps it waiting. */
  send(event: TaskEvent): Promise<void>
  /** The subscription ended: an error, or null for a reader too far behind. */
  close(error: unknown): void
}

/** Recorded events are read in portions of this many. */
const eventBatchSize = 500

/** Progress is left out for a reader this many events behind. */
const maxPendingForProgress = 100

/** A reader this many events behind is given up; it can come back and ask for what came after. */
const maxPendingEvents = 10_000

/**
 * Tells a snapshot, then every status event by its number, without gaps or repeats, and progress in
 * between. What is published in this process only says that there is something new: the numbered
 * events are read from the table, as commits may be told of out of order.
 */
class Subscription implements Disposable {
  readonly #service: Service
  readonly #caller: Caller
  readonly #wish: SubscriptionTarget
  readonly #outlet: EventSink
  readonly #unfollow: () => void
  #line: Promise<void> = Promise.resolve()
  #waiting = 0
  #reached = 0
  #ended = false

  constructor(
    service: Service,
    caller: Caller,
    { outlet, ...wish }: SubscriptionTarget & { readonly outlet: EventSink },
  ) {
    this.#service = service
    this.#caller = caller
    this.#wish = wish
    this.#outlet = outlet
    // First, so that nothing falls between the snapshot and what follows.
    this.#unfollow = service.events.follow(caller.accountId, (event) => this.#hear(event))
    this.#inLine(() => this.#begin())
  }

  [Symbol.dispose](): void {
    this.#ended = true
    this.#unfollow()
  }

  #hear(event: Exclude<TaskEvent, { event: 'snapshot' | 'error' }>): void {
    if (this.#wish.taskId !== undefined && event.task.task_id !== this.#wish.taskId) return
    if (event.event === 'progress') {
      if (this.#waiting < maxPendingForProgress) this.#inLine(() => this.#outlet.send(event))
      return
    }
    const { seq } = event
    this.#inLine(() => this.#tellUpTo(seq))
  }

  /** One step after another, so that the order of events is that of their telling. */
  #inLine(step: () => Promise<void>): void {
    if (this.#ended) return
    if (this.#waiting === maxPendingEvents) return this.#fail(null)
    this.#waiting += 1
    this.#line = this.#line
      .then(() => (this.#ended ? undefined : step()))
      .then(
        () => void (this.#waiting -= 1),
        (error: unknown) => this.#fail(error),
      )
  }

  #fail(error: unknown): void {
    if (this.#ended) return
    this[Symbol.dispose]()
    this.#outlet.close(error)
  }

  async #begin(): Promise<void> {
    const { taskId, after } = this.#wish
    if (taskId !== undefined) {
      const { seq, task } = await snapshotTask(this.#service.db, this.#caller, taskId)
      this.#reached = seq
      return await this.#outlet.send({ event: 'snapshot', seq, task })
    }
    const { removed, last } = await keptEvents(this.#service.db, this.#caller.accountId)
    // The number from which it goes on; one that was never reached is of another database.
    this.#reached = Math.min(Math.max(after ?? last, removed), last)
    await this.#outlet.send({ event: 'snapshot', seq: this.#reached, task: null })
    await this.#tellUpTo(last)
  }

  async #tellUpTo(seq: number): Promise<void> {
    const { db } = this.#service
    const { accountId } = this.#caller
    while (this.#reached < seq && !this.#ended) {
      const events = await eventsAfter(db, { accountId, seq: this.#reached, limit: eventBatchSize })
      if (events.length === 0) return
      for (const event of events) {
        // Later ones wait for their own turn, behind the progress that was told before them.
        if (event.seq > seq || this.#ended) return
        this.#reached = event.seq
        if (this.#wish.taskId === undefined || event.task.task_id === this.#wish.taskId) {
          await this.#outlet.send({ event: 'status', ...event })
        }
      }
    }
  }
}
