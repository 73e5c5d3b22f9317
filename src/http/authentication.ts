import type { FastifyInstance, FastifyRequest } from 'fastify'
import { authenticate, type Caller } from '../accounts/keys.ts'
import { redeemEventTicket } from '../accounts/tickets.ts'
import { linkQuery } from '../contract/file-routes.ts'
import { MediaError } from '../contract/errors.ts'
import { endpoints, rawRoutes } from '../contract/routes.ts'
import { verifyLink } from '../files/links.ts'
import { ownOrigin } from '../platform/loopback.ts'
import type { Service } from '../tasks/service.ts'
import { fastifyPath } from './request-input.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, set before anything else of a request is read; null for what needs no key, and for a download by a link. */
    caller: Caller | null
    /** The address of this service that the request named, such as `https://media.example.com`. */
    address: string
  }
}

/** Of endpoints that answer without a key. */
const unauthenticatedPaths: ReadonlySet<string | undefined> = new Set(
  Object.values(endpoints)
    .filter(({ open }) => open)
    .map(({ path }) => fastifyPath(path)),
)

const downloadPath = fastifyPath(rawRoutes.downloadFile.path)

interface AuthenticationOptions {
  /** The https address clients use, if they use another than this machine's own. */
  readonly publicUrl?: string | undefined
  /** Whether the key may come as the query parameter `Authorization` (contract 1, section 5). */
  readonly allowQueryAuthorization?: boolean | undefined
}

/** Lets in requests with a valid key, and none that another web page than this service's own could have made a browser send. */
export function registerAuthentication(
  app: FastifyInstance,
  service: Service,
  { publicUrl, allowQueryAuthorization = false }: AuthenticationOptions,
): void {
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host
  app.decorateRequest('caller', null)
  app.decorateRequest('address', '')
  app.addHook('onRequest', async (request) => {
    request.address = checkOrigin(request, publicHost)
    if (unauthenticatedPaths.has(request.routeOptions.url)) return
    if (isSignedDownload(request)) return await checkDownloadLink(service, request)
    const ticket = eventTicketIn(request)
    const key =
      request.headers.authorization ??
      (allowQueryAuthorization ? queryParameter(request, 'Authorization') : undefined)
    if (ticket !== undefined) request.caller = await redeemEventTicket(service.db, ticket, service.clock())
    else request.caller = key ? await authenticate(service.db, key, service.clock()) : null
    if (!request.caller) throw authenticationFailed({ ticket, key })
  })
}

/** A player cannot set a header either: for the bytes of a file, and nothing else, a signature counts. */
function isSignedDownload({ query, routeOptions }: FastifyRequest): boolean {
  return routeOptions.url === downloadPath && Object.hasOwn(query as object, 'sign')
}

async function checkDownloadLink({ db, clock }: Service, { query, params }: FastifyRequest): Promise<void> {
  const { file_id: id } = params as { file_id: string }
  const { expires = '', sign = '' } = linkQuery.safeParse(query).data ?? {}
  if (await verifyLink(db, id, { expires, sign, now: clock() })) return
  throw new MediaError(6502, 'the link has expired, or is not as it was made', {
    hint: 'Ask for another: POST /base/file/{file_id}/link.',
  })
}

/** A browser cannot set a header as it opens a socket: there, and nowhere else, a ticket counts. */
function eventTicketIn(request: FastifyRequest): string | undefined {
  if (!request.ws || request.routeOptions.url !== rawRoutes.taskEvents.path) return undefined
  return queryParameter(request, 'ticket')
}

/** A parameter of the query that is given once. */
function queryParameter({ query }: FastifyRequest, name: string): string | undefined {
  const value = (query as Readonly<Record<string, unknown>>)[name]
  return typeof value === 'string' ? value : undefined
}

function authenticationFailed({ ticket, key }: Record<'ticket' | 'key', string | undefined>): MediaError {
  if (ticket !== undefined) {
    return new MediaError(6502, 'the ticket is unknown, used or expired', {
      hint: 'Ask for another: POST /task/events/ticket. It opens one socket within a minute.',
    })
  }
  if (!key) return new MediaError(6502, 'the Authorization header is missing')
  return new MediaError(6502, 'the API key is unknown, revoked or expired', {
    hint:
      'Check the key: it is the whole value of the Authorization header, without a prefix (to an MCP server, Bearer ' +
      'may go before it). Whoever runs the service makes another with `reelwright keys create`.',
  })
}

/**
 * A page that a browser shows can reach this machine's ports: its requests carry its Origin, or by
 * DNS rebinding a foreign name as Host. The service's own page is served from the very address that it
 * calls, so that its Origin is that one and no other, also not another port or name of this machine.
 * Answers the address that was called.
 */
function checkOrigin({ headers }: FastifyRequest, publicHost: string | undefined): string {
  const own = ownOrigin(headers.host, publicHost)
  if (own === undefined) {
    throw new MediaError(6502, 'the Host of this request is not an address of this service', {
      hint: 'Call it by a loopback address, or by the one that `reelwright serve` was given as --public-url.',
    })
  }
  if (headers.origin === undefined || headers.origin === own) return own
  throw new MediaError(6502, 'requests from other web pages are refused', {
    hint: 'Call the service from a program, which sends no Origin, or use its own page.',
  })
}

/** Who made an admitted request. */
export function authenticatedCaller(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error('the request was not admitted')
  return request.caller
}
