import type { FastifyInstance, FastifyRequest } from 'fastify'
import { authenticate, type Caller } from '../accounts/keys.ts'
import { MediaError } from '../contract/errors.ts'
import { rawRoutes } from '../contract/routes.ts'
import type { Service } from '../tasks/service.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set before anything else of a request is read. */
    caller: Caller | null
  }
}

/** Names under which a service on this machine may be addressed. */
const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Addresses of this machine alone, also as a socket for both families of addresses writes them. */
const loopbackAddress = /^(::ffff:)?127\.|^::1$/

/** Lets in requests with a valid key, and none that a web page could have made a browser send. */
export function admit(app: FastifyInstance, service: Service): void {
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async (request) => {
    refuseBrowsers(request)
    if (request.routeOptions.url === rawRoutes.health.path) return
    const key = request.headers.authorization
    request.caller = key ? await authenticate(service.db, key) : null
    if (!request.caller)
      throw new MediaError(6502, key ? 'unknown API key' : 'the Authorization header is missing')
  })
}

/**
 * A page that a browser shows can reach this machine's ports: its requests carry an Origin, or by
 * DNS rebinding a foreign name as Host.
 */
function refuseBrowsers({ headers, socket }: FastifyRequest): void {
  const local = loopbackAddress.test(socket.localAddress ?? '')
  const name = headers.host?.replace(/:\d+$/, '').toLowerCase() ?? ''
  if (headers.origin !== undefined || (local && !loopbackNames.has(name))) {
    throw new MediaError(6502, 'requests from web pages are refused', {
      hint: 'Call the service from a program, by a loopback address.',
    })
  }
}

/** Who made an admitted request. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error('the request was not admitted')
  return request.caller
}
