import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Logger } from 'pino'
import { isOwnId } from '../contract/fields.ts'
import type { MetricReading, Metrics } from '../platform/metrics.ts'
import type { Service } from '../tasks/service.ts'

/** Request ids accepted from clients, because they appear in a header and in the log. */
const acceptedRequestId = /^[\w.-]{1,64}$/

/** Status that nginx uses when the client closed the connection before the response. */
const clientClosedRequest = 499

/** Upper bounds of the request duration buckets, seconds. */
const durationBuckets = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600]

/** Uses the client's `x-request-id` when it is valid, otherwise creates an id. */
export function chooseRequestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && acceptedRequestId.test(given) ? given : randomUUID()
}

/** The service with a logger that adds the request id. */
export function withRequestLog(service: Service, request: FastifyRequest): Service {
  return { ...service, log: service.log.child({ request_id: request.id }) }
}

/** Logs responses that fail after their headers were sent. Disables Fastify's other logging. */
export class BrokenResponseLog extends LogController {
  readonly #log: Logger

  constructor(log: Logger) {
    super()
    this.#log = log
  }

  override streamError(error: NodeJS.ErrnoException, request: FastifyRequest): void {
    // The client disconnected, which the request's own log line shows.
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
    this.#log.error({ request_id: request.id, err: error }, 'a response was interrupted')
  }
}

/** Sends each request's id as `x-request-id`, counts requests and bytes, and logs one line per request. */
export function createRequestObserver({ log, metrics }: { log: Logger; metrics: Metrics }) {
  const finished = metrics.counter<'method' | 'route' | 'status'>({
    name: 'reelwright_http_requests_total',
    help: 'Finished requests; status 499 when the client disconnected, 101 for event sockets.',
  })
  const seconds = metrics.histogram<'method' | 'route'>(
    {
      name: 'reelwright_http_request_duration_seconds',
      help: 'Time from the request headers to the end of the response.',
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
      finished.add({ method, route, status: String(status) })
      // The duration of an event socket says nothing about performance.
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
    /** Register before all hooks that may reject a request. */
    watch: (app: FastifyInstance) =>
      app.addHook('onRequest', async (request, reply) => follow(request, reply)),
  }
}

/** The route's pattern, because a URL may contain file names and secrets. */
function routePattern(request: FastifyRequest): string {
  return request.routeOptions.url ?? '(none)'
}

function finalStatus({ ws }: FastifyRequest, { raw, statusCode }: FastifyReply): number {
  if (raw.writableFinished) return statusCode
  return ws ? 101 : clientClosedRequest
}

/** Task, file and upload ids in the path. */
function pathIds({ params }: FastifyRequest): Record<string, string> {
  const given = Object.entries((params ?? {}) as Record<string, string>)
  return Object.fromEntries(given.filter(([name, value]) => name.endsWith('_id') && isOwnId(value)))
}

interface TransferredBytes {
  received: number
  sent: number
}

/** Counts bytes per route, including unfinished transfers. */
interface TrafficMeter {
  begin(socket: Socket, route: string): void
  end(socket: Socket, route: string): void
}

/** Measures bytes on the wire, including headers. */
function createTrafficMeter(metrics: Metrics): TrafficMeter {
  const byRoute = new Map<string, TransferredBytes>()
  const counted = new WeakMap<Socket, TransferredBytes>()
  const active = new Map<Socket, string>()

  /** Adds the bytes of a connection since its last count to a route. */
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
    for (const [socket, route] of active) count(socket, route)
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
    begin: (socket, route) => void active.set(socket, route),
    end(socket, route) {
      count(socket, route)
      active.delete(socket)
    },
  }
}
