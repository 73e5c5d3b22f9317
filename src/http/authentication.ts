import type { FastifyInstance, FastifyRequest } from 'fastify'
import { authenticate, type Caller } from '../accounts/keys.ts'
import { redeemEventTicket } from '../accounts/tickets.ts'
import { linkQuery } from '../contract/file-routes.ts'
import { MediaError } from '../contract/errors.ts'
import type { Endpoint } from '../contract/route.ts'
import { endpoints, rawRoutes, routes } from '../contract/routes.ts'
import { verifyLink } from '../files/links.ts'
import { readLinkTarget, verifyMaterialLink } from '../library/links.ts'
import type { ConnectionOwner } from '../platform/connection-choice.ts'
import { ownOrigin } from '../platform/loopback.ts'
import type { Service } from '../tasks/service.ts'
import { fastifyPath } from './request-input.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller; null for endpoints without a key and downloads by a signed link. */
    caller: Caller | null
    /** Origin under which the client reached the service, such as `https://media.example.com`. */
    address: string
  }
}

/** Endpoints that need no key. */
const unauthenticatedPaths: ReadonlySet<string | undefined> = new Set(
  Object.values(endpoints)
    .filter(({ open }) => open)
    .map(({ path }) => fastifyPath(path)),
)

const downloadPath = fastifyPath(rawRoutes.downloadFile.path)
const materialPath = fastifyPath(rawRoutes.downloadMaterial.path)

interface AuthenticationOptions {
  /** The https address that clients use, when it is not an address of this machine. */
  readonly publicUrl?: string | undefined
  /** Whether the query parameter `Authorization` may contain the key (contract 1, section 5). */
  readonly allowQueryAuthorization?: boolean | undefined
  /** Called for each request with a valid key or link. Returns false if they have too many connections. */
  readonly acceptConnection: (request: FastifyRequest, owner: ConnectionOwner) => boolean
}

/** Rejects requests without a valid key (6502), with a key that has too many connections (6032), and requests that another web page made a browser send. */
export function registerAuthentication(
  app: FastifyInstance,
  service: Service,
  { publicUrl, allowQueryAuthorization = false, acceptConnection }: AuthenticationOptions,
): void {
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host
  app.decorateRequest('caller', null)
  app.decorateRequest('address', '')
  app.addHook('onRequest', async (request) => {
    request.address = checkOrigin(request, publicHost)
    if (unauthenticatedPaths.has(request.routeOptions.url)) return
    if (isSigned(request)) {
      const id = await checkLink(service, request)
      if (!acceptConnection(request, { kind: 'link', id })) throw tooManyConnections('link')
      return
    }
    const ticket = eventTicketIn(request)
    const key =
      request.headers.authorization ??
      (allowQueryAuthorization ? queryParameter(request, 'Authorization') : undefined)
    if (ticket !== undefined) request.caller = await redeemEventTicket(service.db, ticket, service.clock())
    else request.caller = key ? await authenticate(service.db, key, service.clock()) : null
    if (!request.caller) throw authenticationFailed({ ticket, key })
    const { keyId: id } = request.caller
    if (!acceptConnection(request, { kind: 'key', id })) throw tooManyConnections('key')
  })
}

/** Whether a download is signed: players cannot set headers. Signatures are accepted for downloads only. */
function isSigned({ query, routeOptions: { url } }: FastifyRequest): boolean {
  return (url === downloadPath || url === materialPath) && Object.hasOwn(query as object, 'sign')
}

/** Returns an id of what a valid link opens. */
async function checkLink({ db, clock }: Service, request: FastifyRequest): Promise<string> {
  const { expires = '', sign = '' } = linkQuery.safeParse(request.query).data ?? {}
  const signature = { expires, sign, now: clock() }
  if (request.routeOptions.url === materialPath) {
    const { material_id: id = '', part = '' } = request.params as Readonly<Record<string, string>>
    const target = readLinkTarget(id, part)
    if (target && (await verifyMaterialLink(db, target, signature))) return `material ${id}`
    throw invalidLinkError(routes.linkMaterials)
  }
  const { file_id: id } = request.params as { file_id: string }
  if (await verifyLink(db, id, signature)) return id
  throw invalidLinkError(routes.linkFile)
}

function invalidLinkError({ method, path }: Pick<Endpoint, 'method' | 'path'>): MediaError {
  return new MediaError(6502, 'the link has expired or was changed', {
    hint: `Request a new link: ${method} ${path}.`,
  })
}

/** Seconds after which a client without a free connection may try again. */
const connectionRetrySeconds = 5

function tooManyConnections(kind: ConnectionOwner['kind']): MediaError {
  return new MediaError(6032, `all connections that this ${kind} can use are busy`, {
    hint: `Close connections or reuse them, and try again in ${connectionRetrySeconds} s.`,
    retryAfter: connectionRetrySeconds,
  })
}

/** Ticket of an event socket: browsers cannot set headers there. Tickets are accepted for event sockets only. */
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
      hint: 'Request a new ticket: POST /task/events/ticket. It opens one socket within a minute.',
    })
  }
  if (!key) return new MediaError(6502, 'the Authorization header is missing')
  return new MediaError(6502, 'the API key is unknown, revoked or expired', {
    hint:
      'Check the key. It is the whole value of the Authorization header, without a prefix (for an MCP server, with an ' +
      'optional Bearer). The administrator of the service creates keys with `reelwright keys create`.',
  })
}

/**
 * Returns the origin under which the service was called. Throws 6502 for a foreign Host or Origin: a web page can
 * reach ports of this machine, either with its own Origin or through DNS rebinding with a foreign Host. The
 * service's own page has the same origin as the service.
 */
function checkOrigin({ headers }: FastifyRequest, publicHost: string | undefined): string {
  const own = ownOrigin(headers.host, publicHost)
  if (own === undefined) {
    throw new MediaError(6502, 'the Host of this request is not an address of this service', {
      hint: 'Use a loopback address, or the address in --public-url of `reelwright serve`.',
    })
  }
  if (headers.origin === undefined || headers.origin === own) return own
  throw new MediaError(6502, 'requests from other web pages are rejected', {
    hint: 'Call the service from a program, which sends no Origin, or use the page of the service.',
  })
}

/** The caller of an authenticated request. */
export function authenticatedCaller(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error('the request was not authenticated')
  return request.caller
}
