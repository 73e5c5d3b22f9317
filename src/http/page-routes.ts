import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { authenticate } from '../accounts/keys.ts'
import { PageTickets } from '../accounts/tickets.ts'
import { MediaError } from '../contract/errors.ts'
import { readBody } from '../contract/validation.ts'
import { pageLogin } from '../contract/page-routes.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import { toTimestamp } from '../contract/fields.ts'
import type { Service } from '../tasks/service.ts'
import { success } from './responses.ts'
import { fastifyPath } from './request-input.ts'
import { StaticDocument } from './static-document.ts'

/** Folder of the page's files, in the sources and in the build. */
const pageFolder = join(import.meta.dirname, '..', 'page')

/** Extensions that are served; other files are for development. */
const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * Content security policy: only files of this service, no framing, and Trusted Types, so that names and messages
 * never become markup.
 */
const pageSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** `GET /` with its assets, and the tickets for signing in. The page uses the public API. */
export async function registerPageRoutes(app: FastifyInstance, { db, clock }: Service): Promise<void> {
  const parts = await loadAssets()
  const tickets = new PageTickets(clock)
  app.get(rawRoutes.page.path, (request, reply) =>
    findAsset(parts, 'index.html').send(request, withSecurityHeaders(reply)),
  )
  app.get(fastifyPath(rawRoutes.pagePart.path), (request, reply) => {
    const { name } = request.params as { name: string }
    return findAsset(parts, name).send(request, withSecurityHeaders(reply))
  })
  app.post(routes.pageTicket.path, async ({ headers: { authorization } }) => {
    if (authorization === undefined) {
      throw new MediaError(6502, 'a page ticket needs an API key in the Authorization header')
    }
    const { ticket, expireAt } = tickets.issue(authorization)
    return success({ ticket, expires_at: toTimestamp(expireAt) })
  })
  app.post(routes.pageLogin.path, async ({ body }) => {
    const { ticket } = readBody(pageLogin, body ?? {}, { ticket: '…' })
    const key = tickets.redeem(ticket)
    // The key may have been revoked since the ticket was issued.
    if (key !== undefined && (await authenticate(db, key, clock()))) return success({ api_key: key })
    throw new MediaError(6502, 'this link was already used or has expired', {
      hint: 'Run `reelwright page` for a new link. It opens the page once, within a minute.',
    })
  })
}

async function loadAssets(): Promise<ReadonlyMap<string, StaticDocument>> {
  const names = (await readdir(pageFolder)).filter((name) => Object.hasOwn(contentTypes, extname(name)))
  const read = async (name: string): Promise<[string, StaticDocument]> => [
    name,
    new StaticDocument(contentTypes[extname(name)] ?? '', await readFile(join(pageFolder, name), 'utf8')),
  ]
  return new Map(await Promise.all(names.map(read)))
}

/** Finds an asset in memory: no name reaches the file system. */
function findAsset(parts: ReadonlyMap<string, StaticDocument>, name: string): StaticDocument {
  const part = parts.get(name)
  if (part) return part
  throw new MediaError(6005, `the page has no file ${JSON.stringify(name)}`, {
    hint: 'Reload the page: the service may have been updated.',
  })
}

function withSecurityHeaders(reply: FastifyReply): FastifyReply {
  return reply
    .header('content-security-policy', pageSecurityPolicy)
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cross-origin-resource-policy', 'same-origin')
}
