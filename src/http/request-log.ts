import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Logger } from 'pino'
import { isOwnId } from '../contract/fields.ts'
import type { MetricReading, Metrics } from '../platform/metrics.ts'
import type { Service } from '../tasks/service.ts'

/** A request id that a client may give: it goes into a header and the log. */
const acceptedRequestId = /^[\w.-]{1,64}$/

/** nginx's status of a request whose client left before the answer's end. */
const clientClosedRequest = 499

/** Upper bounds of the buckets of answering times, seconds. */
const durationBuckets = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600]

/** Names a request: the client's `x-request-id` where it is short and plain, else a new one. */
export function chooseRequestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && acceptedRequestId.test(given) ? given : randomUUID()
}

/** The service as a request uses it: what it logs carries the request's id. */
export function withRequestLog(service: Service, request: FastifyRequest): Service {
  return { ...service, log: service.log.child({ request_id: request.id }) }
}

/** Logs answers that break after their head, when no other can be given; Fastify is to log nothing else. */
export class BrokenResponseLog extends LogController {
  readonly #log: Logger

  constructor(log: Logger) {
    super()
    this.#log = log
  }

  override streamError(error: NodeJS.ErrnoException, request: FastifyRequest): void {
    // The client left; its request's line tells.
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
    this.#log.error({ request_id: request.id, err: error }, 'an answer broke off')
  }
}

/** Answers each request's id as `x-request-id`, counts requests and their bytes, and logs a line at the end of each. */
export function createRequestObserver({ log, metrics }: { log: Logger; metrics: Metrics }) {
  const answered = metrics.counter<'method' | 'route' | 'status'>({
    name: 'reelwright_http_requests_total',
    help: 'Finished requests; 499 for those whose client left, 101 for event sockets.',
  })
  const seconds = metrics.histogram<'method' | 'route'>(
    {
      name: 'reelwright_http_request_duration_seconds',
      help: 'From the head of a request to the end of its answer.',
    },
    durationBuckets,
  )
  const traffic = createTrafficMeter(metrics)

  const follow = (request: FastifyRequest, reply: FastifyReply): void => {
    const started = performance.now()
    const { method } = request
    const { socket } = request.raw
    const route = routePattern(request)
    void reply.header('x-request-id', request.id)
    traffic.begin(socket, route)
    reply.raw.once('close', () => {
      traffic.end(socket, route)
      const status = finalStatus(request, reply)
      const ms = Math.round(performance.now() - started)
      answered.add({ method, route, status: String(status) })
      // An event socket is open for as long as its client likes.
      if (status !== 101) seconds.observe({ method, route }, ms / 1000)
      const isQuiet = status >= 200 && status < 400 && (method === 'GET' || method === 'HEAD')
      log[isQuiet ? 'debug' : 'info'](
        {
          request_id: request.id,
          method,
          route,
          status,
          code: request.failure?.code,
          ms,
          account_id: request.caller?.accountId,
          ...pathIds(request),
        },
        'request',
      )
    })
  }
  return {
    follow,
    /** Before all hooks that may refuse a request. */
    watch: (app: FastifyInstance) =>
      app.addHook('onRequest', async (request, reply) => follow(request, reply)),
  }
}

/** The pattern, as an address may hold names and secrets. */
function routePattern(request: FastifyRequest): string {
  return request.routeOptions.url ?? '(none)'
}

function finalStatus({ ws }: FastifyRequest, { raw, statusCode }: FastifyReply): number {
  if (raw.writableFinished) return statusCode
  return ws ? 101 : clientClosedRequest
}

/** Ids of tasks, files and uploads in the path. */
function pathIds({ params }: FastifyRequest): Record<string, string> {
  const given = Object.entries((params ?? {}) as Record<string, string>)
  return Object.fromEntries(given.filter(([name, value]) => name.endsWith('_id') && isOwnId(value)))
}

interface TransferredBytes {
  received: number
  sent: number
}

/** Counts the bytes of connections by the routes their requests go to, also of transfers under way. */
interface TrafficMeter {
  begin(socket: Socket, route: string): void
  end(socket: Socket, route: string): void
}

/** Measures traffic as it is on the wire, heads and frames included. */
function createTrafficMeter(metrics: Metrics): TrafficMeter {
  const byRoute = new Map<string, TransferredBytes>()
  const counted = new WeakMap<Socket, TransferredBytes>()
  const underWay = new Map<Socket, string>()

  /** Counts for a route what a connection moved since it was last counted. */
  const count = (socket: Socket, route: string): void => {
    const now = { received: socket.bytesRead, sent: socket.bytesWritten }
    const before = counted.get(socket) ?? { received: 0, sent: 0 }
    const total = byRoute.get(route) ?? { received: 0, sent: 0 }
    total.received += now.received - before.received
    total.sent += now.sent - before.sent
    counted.set(socket, now)
    byRoute.set(route, total)
  }
  const readings = (direction: keyof TransferredBytes) => (): MetricReading[] => {
    for (const [socket, route] of underWay) count(socket, route)
    return Array.from(byRoute, ([route, moved]) => ({ labels: { route }, value: moved[direction] }))
  }
  metrics.read(
    { name: 'reelwright_http_received_bytes_total', help: 'Bytes received by route.', type: 'counter' },
    readings('received'),
  )
  metrics.read(
    { name: 'reelwright_http_sent_bytes_total', help: 'Bytes sent by route.', type: 'counter' },
    readings('sent'),
  )
  return {
    begin: (socket, route) => void underWay.set(socket, route),
    end(socket, route) {
      count(socket, route)
      underWay.delete(socket)
    },
  }
}
