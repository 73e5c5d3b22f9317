import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { isOwnId } from '../contract/fields.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Service } from '../tasks/service.ts'
import { measureTraffic } from './traffic.ts'

/** A request id that a client may give: it goes into a header and the log. */
const plainId = /^[\w.-]{1,64}$/

/** nginx's status of a request whose client left before the answer's end. */
const clientLeft = 499

/** Upper bounds of the buckets of answering times, seconds. */
const secondsBuckets = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600]

/** Names a request: the client's `x-request-id` where it is short and plain, else a new one. */
export function nameRequest({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && plainId.test(given) ? given : randomUUID()
}

/** The service as a request uses it: what it logs carries the request's id. */
export function forRequest(service: Service, request: FastifyRequest): Service {
  return { ...service, log: service.log.child({ request_id: request.id }) }
}

/** Logs answers that break after their head, when no other can be given; Fastify is to log nothing else. */
export class BrokenAnswers extends LogController {
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
export function followRequests({ log, metrics }: { log: Logger; metrics: Metrics }) {
  const answered = metrics.counter<'method' | 'route' | 'status'>({
    name: 'reelwright_http_requests_total',
    help: 'Finished requests; 499 for those whose client left, 101 for event sockets.',
  })
  const seconds = metrics.histogram<'method' | 'route'>(
    {
      name: 'reelwright_http_request_duration_seconds',
      help: 'From the head of a request to the end of its answer.',
    },
    secondsBuckets,
  )
  const traffic = measureTraffic(metrics)

  const follow = (request: FastifyRequest, reply: FastifyReply): void => {
    const started = performance.now()
    const { method } = request
    const { socket } = request.raw
    const route = routeOf(request)
    void reply.header('x-request-id', request.id)
    traffic.begin(socket, route)
    reply.raw.once('close', () => {
      traffic.end(socket, route)
      const status = statusOf(request, reply)
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
          ...idsOf(request),
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
function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? '(none)'
}

function statusOf({ ws }: FastifyRequest, { raw, statusCode }: FastifyReply): number {
  if (raw.writableFinished) return statusCode
  return ws ? 101 : clientLeft
}

/** Ids of tasks, files and uploads in the path. */
function idsOf({ params }: FastifyRequest): Record<string, string> {
  const given = Object.entries((params ?? {}) as Record<string, string>)
  return Object.fromEntries(given.filter(([name, value]) => name.endsWith('_id') && isOwnId(value)))
}
