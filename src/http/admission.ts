import type { FastifyInstance, FastifyRequest } from 'fastify'
import { authenticate, type Caller } from '../accounts/keys.ts'
import { redeemTicket } from '../accounts/tickets.ts'
import { MediaError } from '../contract/errors.ts'
import type { RawRoute } from '../contract/route.ts'
import { rawRoutes } from '../contract/routes.ts'
import { isLoopback } from '../platform/loopback.ts'
import type { Service } from '../tasks/service.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set before anything else of a request is read. */
    caller: Caller | null
  }
}

/** Of endpoints that answer without a key. */
const openPaths: ReadonlySet<string | undefined> = new Set(
  Object.values<RawRoute>(rawRoutes)
    .filter(({ open }) => open)
    .map(({ path }) => path),
)

/**
 * Lets in requests with a valid key, and none that a web page could have made a browser send.
 * `publicUrl` is the https address clients use, if they use another than this machine's own.
 */
export function admit(app: FastifyInstance, service: Service, publicUrl: string | undefined): void {
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async (request) => {
    refuseBrowsers(request, publicHost)
    if (openPaths.has(request.routeOptions.url)) return
    const ticket = ticketOf(request)
    const key = request.headers.authorization
    if (ticket !== undefined) request.caller = await redeemTicket(service.db, ticket, service.clock())
    else request.caller = key ? await authenticate(service.db, key) : null
    if (!request.caller) throw notAdmitted({ ticket, key })
  })
}

/** A browser cannot set a header as it opens a socket: there, and nowhere else, a ticket counts. */
function ticketOf({ ws, query, routeOptions }: FastifyRequest): string | undefined {
  if (!ws || routeOptions.url !== rawRoutes.taskEvents.path) return undefined
  const { ticket } = query as { ticket?: unknown }
  return typeof ticket === 'string' ? ticket : undefined
}

function notAdmitted({ ticket, key }: Record<'ticket' | 'key', string | undefined>): MediaError {
  if (ticket !== undefined) {
    return new MediaError(6502, 'the ticket is unknown, used or expired', {
      hint: 'Ask for another: POST /task/events/ticket. It opens one socket within a minute.',
    })
  }
  return new MediaError(6502, key ? 'unknown API key' : 'the Authorization header is missing')
}

/**
 * A page that a browser shows can reach this machine's ports: its requests carry an Origin, or by
 * DNS rebinding a foreign name as Host.
 */
function refuseBrowsers({ headers }: FastifyRequest, publicHost: string | undefined): void {
  if (headers.origin !== undefined) {
    throw new MediaError(6502, 'requests from web pages are refused', {
      hint: 'Call the service from a program, which sends no Origin.',
    })
  }
  const host = headers.host?.toLowerCase() ?? ''
  // With its port: on another than the proxy's a key would have come over plain http.
  if (isLoopback(host.replace(/:\d+$/, '')) || host.replace(/:443$/, '') === publicHost) return
  throw new MediaError(6502, 'the Host of this request is not an address of this service', {
    hint: 'Call it by a loopback address, or by the one that `reelwright serve` was given as --public-url.',
  })
}

/** Who made an admitted request. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error('the request was not admitted')
  return request.caller
}
