import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WebSocket } from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Caller, findInvalidKeys } from '../accounts/keys.ts'
import { issueEventTicket } from '../accounts/tickets.ts'
import { MediaError } from '../contract/errors.ts'
import { toTimestamp } from '../contract/fields.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import { subscribeMessage, type SubscribeMessage, type TaskEvent } from '../contract/task.ts'
import { parseJson } from '../contract/bounded-json.ts'
import { onResponseClosed } from '../platform/response-closed.ts'
import type { Service } from '../tasks/service.ts'
import { authenticatedCaller } from './authentication.ts'
import { type EventSink, Subscription } from './event-subscription.ts'
import { type KeyWatch, keyEndedReason, policyViolationCode } from './key-watch.ts'
import { withRequestLog } from './request-log.ts'
import { failureEnvelope, success } from './responses.ts'
import { withAbsoluteLinks } from './task-routes.ts'

/** Largest message from a client, bytes. */
export const maxClientMessageBytes = 4096

const maxTaskSubscriptions = 100

/** Messages of a client that wait for a response: more than one for each subscription. */
const maxWaitingMessages = 128

/** Reason in the close frame of a client that sends more. */
const tooManyMessagesReason = `more than ${maxWaitingMessages} messages wait for a response`

/** Open event sockets of one key. */
const maxSocketsPerKey = 32

/** Seconds after which a client without a free event socket may try again. */
const socketRetrySeconds = 5

/** How long clients have to close their sockets at shutdown or after a violation, ms. */
const socketCloseTimeoutMs = 1_000

interface EventRouteOptions {
  /** A connection on which nothing moves for so long is cut, ms. */
  readonly idleTimeoutMs: number
  readonly keys: KeyWatch
}

/**
 * WebSocket `GET /task/events` (snapshots, then status changes and progress) and its tickets. A socket closes with 1008
 * once its key is no longer valid, or when too many of its messages wait. A further socket of a key gets 6032.
 */
export function registerEventRoutes(
  app: FastifyInstance,
  service: Service,
  { idleTimeoutMs, keys }: EventRouteOptions,
): void {
  app.addHook('onRequest', async ({ ws, routeOptions }) => {
    if (ws && routeOptions.url !== rawRoutes.taskEvents.path) {
      throw new MediaError(6016, 'only /task/events supports a protocol upgrade', {
        hint: 'Connect to /task/events.',
      })
    }
  })
  limitSocketsPerKey(app)
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
      const unfollow = keys.follow(authenticatedCaller(request).keyId, () => subscriber.endAccess())
      socket.on('close', () => {
        unfollow()
        subscriber[Symbol.dispose]()
      })
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

function limitSocketsPerKey(app: FastifyInstance): void {
  const open = new Map<string, number>()
  app.addHook('onRequest', async ({ ws, caller }, reply) => {
    if (!ws || !caller) return
    const { keyId } = caller
    const count = open.get(keyId) ?? 0
    if (count >= maxSocketsPerKey) {
      throw new MediaError(6032, `this key has ${count} open event sockets, the maximum`, {
        hint: `Close one, or use one socket for all tasks: {"action":"subscribe","all":true}. Try again in ${socketRetrySeconds} s.`,
        retryAfter: socketRetrySeconds,
      })
    }
    open.set(keyId, count + 1)
    onResponseClosed(reply.raw, () => {
      const others = (open.get(keyId) ?? 1) - 1
      if (others === 0) open.delete(keyId)
      else open.set(keyId, others)
    })
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
  #received: Promise<void> = Promise.resolve()
  /** Received messages that are not handled yet. */
  #waiting = 0
  #ended = false

  constructor(service: Service, request: FastifyRequest, socket: WebSocket) {
    this.#service = service
    this.#caller = authenticatedCaller(request)
    this.#address = request.address
    this.#socket = socket
  }

  [Symbol.dispose](): void {
    this.#ended = true
    for (const subscription of this.#subscriptions.values()) subscription[Symbol.dispose]()
  }

  /**
   * Handles messages one after another, each when the responses to the earlier ones are sent. The client's further ones
   * wait in its connection; those of one chunk of data arrive here at once, in spite of the pause.
   */
  receive(text: string): void {
    if (this.#ended) return
    if (this.#waiting === maxWaitingMessages) return this.#close(tooManyMessagesReason)
    this.#waiting += 1
    this.#socket.pause()
    this.#received = this.#received
      .then(() => this.#handle(text))
      .catch((error: unknown) => this.#refuse(error))
      // Other connections have their turn.
      .then(() => nextTurn())
      .finally(() => {
        this.#waiting -= 1
        if (this.#waiting === 0) this.#socket.resume()
      })
  }

  /** Stops all events and closes the socket, because the key is no longer valid. */
  endAccess(): void {
    this.#close(keyEndedReason)
  }

  #close(reason: string): void {
    this[Symbol.dispose]()
    this.#socket.close(policyViolationCode, reason)
    // To receive the client's close frame.
    this.#socket.resume()
    setTimeout(() => this.#socket.terminate(), socketCloseTimeoutMs).unref()
  }

  async #handle(text: string): Promise<void> {
    if (this.#ended) return
    const message = parseSubscribeMessage(text)
    const { db, clock } = this.#service
    const { keyId } = this.#caller
    if ((await findInvalidKeys(db, [keyId], clock())).length > 0) return this.endAccess()
    if (!this.#ended) await this.#subscribe(message)
  }

  /** Resolves when the snapshot, or the error instead of it, was sent. */
  async #subscribe(message: SubscribeMessage): Promise<void> {
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
      close: async (error) => {
        this.#subscriptions.delete(name)
        // The client does not read, so no error can be sent.
        if (error === null) this.#socket.terminate()
        else await this.#refuse(error)
      },
    }
    const subscription = new Subscription(this.#service, this.#caller, { ...target, sink })
    this.#subscriptions.set(name, subscription)
    await subscription.started
  }

  /** Resolves when the error was sent. */
  async #refuse(error: unknown): Promise<void> {
    if (!(error instanceof MediaError)) this.#service.log.error({ err: error }, 'a subscription failed')
    const failure = error instanceof MediaError ? error : new MediaError(6500, 'internal error')
    const { code, msg } = failureEnvelope(failure)
    await this.#send({ event: 'error', code, msg })
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
