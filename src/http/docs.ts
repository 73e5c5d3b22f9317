import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { rawRoutes } from '../contract/routes.ts'
import { lazy } from '../platform/cache.ts'
import type { Service } from '../tasks/service.ts'
import { sendTagged } from './conditional.ts'
import { renderPage, style } from './openapi-page.ts'
import { describeApi, type AboutService } from './openapi.ts'

/** Nothing is loaded and nothing runs; the one style of the page is named by its hash. */
const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `GET /docs/openapi.json` and `GET /docs`: this interface, for programs and for people. */
export function docsRoutes(app: FastifyInstance, { operations }: Service, about: AboutService): void {
  // Made when first asked for: it takes longer than the rest of a start.
  const api = lazy(() => {
    const contracts = [...operations.values()].map(({ operation }) => operation)
    return describeApi(contracts, about)
  })
  const document = lazy(() => ({ type: 'application/json; charset=utf-8', text: JSON.stringify(api()) }))
  const page = lazy(() => ({ type: 'text/html; charset=utf-8', text: renderPage(api()).text }))
  app.get(rawRoutes.openapi.path, (request, reply) => sendTagged(request, reply, document()))
  app.get(rawRoutes.documents.path, (request, reply) =>
    sendTagged(request, reply.header('content-security-policy', pagePolicy), page()),
  )
}
