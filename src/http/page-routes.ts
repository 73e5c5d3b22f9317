import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { PageTickets } from '../accounts/tickets.ts'
import { MediaError } from '../contract/errors.ts'
import { readBody } from '../contract/validation.ts'
import { pageLogin, rawRoutes, routes } from '../contract/routes.ts'
import { toTimestamp } from '../contract/fields.ts'
import type { Service } from '../tasks/service.ts'
import { sendWithEtag, success } from './responses.ts'
import { fastifyPath } from './request-input.ts'

/** The page's own files, in the sources as in what is built of them. */
const pageFolder = join(import.meta.dirname, '..', 'page')

/** What a browser loads; whatever else lies there is for those who work on it. */
const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** A ticket and what is around it, bytes: who signs in has shown no key, so that nothing longer is read. */
const loginBytes = 1024

/**
 * Only this service's own files are loaded, run and called, no other site shows the page inside its own,
 * and the browser refuses scripts to make markup of text, whatever a file or an error is called.
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

/** `GET /` with its parts, and the tickets that sign it in; what it shows it asks for over the contract. */
export async function registerPageRoutes(app: FastifyInstance, { clock }: Service): Promise<void> {
  const parts = await loadAssets()
  const tickets = new PageTickets(clock)
  app.get(rawRoutes.page.path, (request, reply) =>
    sendWithEtag(request, withSecurityHeaders(reply), findAsset(parts, 'index.html')),
  )
  app.get(fastifyPath(rawRoutes.pagePart.path), (request, reply) => {
    const { name } = request.params as { name: string }
    return sendWithEtag(request, withSecurityHeaders(reply), findAsset(parts, name))
  })
  app.post(routes.pageTicket.path, async ({ headers: { authorization } }) => {
    if (authorization === undefined) {
      throw new MediaError(6502, 'a ticket of the page is made for a key in the Authorization header')
    }
    const { ticket, expireAt } = tickets.issue(authorization)
    return success({ ticket, expires_at: toTimestamp(expireAt) })
  })
  app.post(routes.pageLogin.path, { bodyLimit: loginBytes }, async ({ body }) => {
    const { ticket } = readBody(pageLogin, body ?? {}, { ticket: '…' })
    const key = tickets.redeem(ticket)
    if (key !== undefined) return success({ api_key: key })
    throw new MediaError(6502, 'this link was used already, or has expired', {
      hint: 'Run `reelwright page` for another. It opens the page once, within a minute.',
    })
  })
}

interface PageAsset {
  readonly type: string
  readonly text: string
}

async function loadAssets(): Promise<ReadonlyMap<string, PageAsset>> {
  const names = (await readdir(pageFolder)).filter((name) => Object.hasOwn(contentTypes, extname(name)))
  const read = async (name: string): Promise<[string, PageAsset]> => [
    name,
    { type: contentTypes[extname(name)] ?? '', text: await readFile(join(pageFolder, name), 'utf8') },
  ]
  return new Map(await Promise.all(names.map(read)))
}

/** By a look-up: no name reaches the disk. */
function findAsset(parts: ReadonlyMap<string, PageAsset>, name: string): PageAsset {
  const part = parts.get(name)
  if (part) return part
  throw new MediaError(6005, `the page has no part ${JSON.stringify(name)}`, {
    hint: 'Load the page anew: the service may have been replaced by another version.',
  })
}

function withSecurityHeaders(reply: FastifyReply): FastifyReply {
  return reply
    .header('content-security-policy', pageSecurityPolicy)
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cross-origin-resource-policy', 'same-origin')
}
