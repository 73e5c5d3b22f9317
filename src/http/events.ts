import type { WebSocket } from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../accounts/keys.ts'
import { issueEventTicket } from '../accounts/tickets.ts'
import { MediaError } from '../contract/errors.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import { subscribeMessage, type SubscribeMessage, type TaskEvent } from '../contract/task.ts'
import { toTimestamp } from '../contract/fields.ts'
import { parseJson } from '../platform/text-formats.ts'
import type { Service } from '../tasks/service.ts'
import { callerOf } from './admission.ts'
import { failureEnvelope, success } from './failures.ts'
import { withFullLinks } from './full-links.ts'
import { forRequest } from './requests.ts'
import { Subscription, type Outlet } from './subscription.ts'

/** Largest message a client may send, bytes. */
export const maxMessageBytes = 4096

const maxSubscriptions = 100

/** How long a client may take to say goodbye when the service ends, ms. */
const farewellMs = 1_000

/** WebSocket `GET /task/events`: snapshots, then every status change, and progress; and the tickets that open it. */
export function eventRoutes(app: FastifyInstance, service: Service, stalledMs: number): void {
  app.addHook('onRequest', async ({ ws, routeOptions }) => {
    if (ws && routeOptions.url !== rawRoutes.taskEvents.path) {
      throw new MediaError(6016, 'only events come over another protocol than HTTP')
    }
  })
  app.post(routes.eventTicket.path, async (request) => {
    const { ticket, expireAt } = await issueEventTicket(service.db, callerOf(request), service.clock())
    return success({ ticket, expires_at: toTimestamp(expireAt) })
  })
  app.route({
    method: 'GET',
    url: rawRoutes.taskEvents.path,
    handler: async () => {
      throw new MediaError(6016, 'events come over a WebSocket', { hint: 'Connect with a WebSocket client.' })
    },
    wsHandler: (socket, request) => {
      const subscriber = new Subscriber(forRequest(service, request), request, socket)
      socket.on('message', (data: Buffer) => subscriber.receive(data.toString()))
      socket.on('close', () => subscriber[Symbol.dispose]())
      // A broken frame or a cut connection; `close` follows.
      socket.on('error', () => undefined)
      keepAlive(socket, stalledMs / 2)
    },
  })
  app.addHook('preClose', async () => {
    const sockets = app.websocketServer.clients
    setTimeout(() => sockets.forEach((socket) => socket.terminate()), farewellMs).unref()
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
class Subscriber implements Disposable {
  readonly #service: Service
  readonly #caller: Caller
  readonly #address: string
  readonly #socket: WebSocket
  /** By task id; all of them under the empty one. */
  readonly #subscriptions = new Map<string, Subscription>()

  constructor(service: Service, request: FastifyRequest, socket: WebSocket) {
    this.#service = service
    this.#caller = callerOf(request)
    this.#address = request.address
    this.#socket = socket
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions.values()) subscription[Symbol.dispose]()
  }

  receive(text: string): void {
    try {
      this.#subscribe(parse(text))
    } catch (error) {
      this.#refuse(error)
    }
  }

  #subscribe(message: SubscribeMessage): void {
    const wish = 'task_id' in message ? { taskId: message.task_id } : { after: message.after }
    const name = wish.taskId ?? ''
    // Subscribing again begins anew.
    this.#subscriptions.get(name)?.[Symbol.dispose]()
    if (this.#subscriptions.size === maxSubscriptions && !this.#subscriptions.has(name)) {
      throw new MediaError(6016, `one connection follows at most ${maxSubscriptions} tasks`, {
        hint: 'Subscribe to all: {"action":"subscribe","all":true}.',
      })
    }
    const outlet: Outlet = {
      tell: (event) => this.#send(event),
      failed: (error) => {
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
        ? { ...event, task: withFullLinks(this.#service, this.#address, event.task) }
        : event
    return new Promise((resolve) => this.#socket.send(JSON.stringify(told), () => resolve()))
  }
}

function parse(text: string): SubscribeMessage {
  const message = subscribeMessage.safeParse(parseJson(text))
  if (message.success) return message.data
  throw new MediaError(
    6016,
    'a message is the JSON {"action":"subscribe","task_id":"…"} or {"action":"subscribe","all":true,"after":seq}',
  )
}
