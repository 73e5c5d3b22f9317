import * as z from 'zod'
import { capabilities, enums, voices } from './catalog.ts'
import { layoutPage, layoutsQuery } from './layout.ts'
import { ledgerPage, ledgerQuery } from './ledger.ts'
import type { RawRoute, Route } from './route.ts'

/** Proof of who answers: the instance, and HMAC-SHA256 over nonce and instance under the key of this run. */
const health = z.object({ instance: z.string(), version: z.string(), proof: z.string() })

/** Endpoints that tell of the service. */
export const serviceRoutes = {
  capabilities: {
    method: 'GET',
    path: '/base/capabilities',
    summary: 'Tells what is ready, what is missing and what brings it, limits, prices, credits and tasks',
    data: capabilities,
    errors: [],
  },
  enums: {
    method: 'GET',
    path: '/base/enums',
    summary: 'Every enumerated value of the interface',
    headers: ['If-None-Match'],
    data: enums,
    errors: [],
  },
  voices: {
    method: 'GET',
    path: '/base/voices',
    summary: 'The voices that speak, with their languages',
    headers: ['If-None-Match'],
    data: voices,
    errors: [],
  },
  layouts: {
    method: 'GET',
    path: '/base/layouts',
    summary: 'The split-screen layouts, each with a sketch',
    headers: ['If-None-Match'],
    query: layoutsQuery,
    data: layoutPage,
    errors: [],
  },
  listLedger: {
    method: 'GET',
    path: '/base/ledger',
    summary: 'Lists what credits came to the account and went, newest first',
    query: ledgerQuery,
    data: ledgerPage,
    errors: [],
  },
  exitDaemon: {
    method: 'POST',
    path: '/daemon/exit',
    summary: 'Asks a local service to make room for a newer one',
    data: z.literal(''),
    errors: [6007],
  },
} as const satisfies Record<string, Route>

/** What the service answers without an envelope. */
export const rawServiceRoutes = {
  health: {
    method: 'GET',
    path: '/health',
    summary: 'Proves who answers',
    open: true,
    query: z.object({ nonce: z.string().max(200).default('').describe('What the proof is made over') }),
    answers: { 200: { description: 'The proof', type: 'application/json', schema: health } },
    errors: [],
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    summary: "How the service does, in Prometheus's text format",
    answers: { 200: { description: 'The metrics', type: 'text/plain' } },
    errors: [],
  },
  documents: {
    method: 'GET',
    path: '/docs',
    summary: 'This interface as a page',
    open: true,
    headers: ['If-None-Match'],
    answers: { 200: { description: 'The page', type: 'text/html' } },
    errors: [],
  },
  openapi: {
    method: 'GET',
    path: '/docs/openapi.json',
    summary: 'This interface as an OpenAPI 3.1 document',
    open: true,
    headers: ['If-None-Match'],
    answers: { 200: { description: 'The document', type: 'application/json' } },
    errors: [],
  },
} as const satisfies Record<string, RawRoute>
