import * as z from 'zod'
import { capabilities, enums, layoutPage, layoutsQuery, ledgerPage, ledgerQuery, voices } from './catalog.ts'
import { timestamp } from './fields.ts'
import { fileRoutes, rawFileRoutes } from './file-routes.ts'
import type { RawRoute, Route } from './route.ts'
import { taskCreated, taskList, taskListQuery, taskQuote, taskRecord } from './task.ts'

/** A ticket opens one event socket, once, within a minute; for browsers, which cannot send a header there. */
export const eventTicket = z.object({ ticket: z.string(), expires_at: timestamp })

/** Endpoints of tasks. */
export const taskRoutes = {
  createTask: {
    method: 'POST',
    path: '/task/{task_type}',
    summary: 'Creates a task',
    headers: ['Priority', 'Idempotency-Key', 'Prefer'],
    body: z.record(z.string(), z.unknown()),
    data: taskCreated,
    errors: [
      5202, 6001, 6004, 6009, 6013, 6014, 6017, 6019, 6021, 6022, 6023, 6032, 6035, 6201, 6202, 6401, 6402,
    ],
  },
  quoteTask: {
    method: 'POST',
    path: '/task/{task_type}/quote',
    summary: 'Tells what the same creation would cost and take; makes and charges nothing',
    headers: ['Priority', 'Prefer'],
    body: z.record(z.string(), z.unknown()),
    data: taskQuote,
    errors: [5202, 6001, 6004, 6013, 6014, 6017, 6019, 6021, 6022, 6023, 6032, 6035, 6401, 6402],
  },
  queryTask: {
    method: 'GET',
    path: '/task/{task_type}/{task_id}',
    summary: 'Tells of a task',
    data: taskRecord,
    errors: [6005],
  },
  listTasks: {
    method: 'GET',
    path: '/task/list',
    summary: "Lists the account's tasks, newest first",
    query: taskListQuery,
    data: taskList,
    errors: [],
  },
  cancelTask: {
    method: 'POST',
    path: '/task/{task_id}/cancel',
    summary: 'Cancels a task that waits, and returns its credits',
    data: z.literal(''),
    errors: [6005, 6007],
  },
  stopTask: {
    method: 'POST',
    path: '/task/{task_id}/stop',
    summary: 'Ends a task that waits or runs, and returns its credits',
    data: taskRecord,
    errors: [6005, 6007],
  },
  eventTicket: {
    method: 'POST',
    path: '/task/events/ticket',
    summary: 'Makes a ticket that opens one event socket within a minute',
    data: eventTicket,
    errors: [],
  },
} as const satisfies Record<string, Route>

/** The event socket. */
export const rawTaskRoutes = {
  taskEvents: {
    method: 'GET',
    path: '/task/events',
    summary: 'Opens a WebSocket that tells of tasks as they change',
    insteadOfKey: 'ticket',
    query: z.object({ ticket: z.string().optional().describe('Instead of the Authorization header') }),
    answers: { 101: { description: 'A WebSocket' } },
    errors: [],
  },
} as const satisfies Record<string, RawRoute>

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

/** A ticket signs the page in once, within a minute; it stands behind the `#` of the page's address. */
export const pageTicket = z.object({ ticket: z.string(), expires_at: timestamp })

/** Body of signing in. */
export const pageLogin = z.object({ ticket: z.string().min(1).max(200) })

/** Endpoints that only the page and what opens it need. */
export const pageRoutes = {
  pageTicket: {
    method: 'POST',
    path: '/page/ticket',
    summary: 'Makes a ticket that signs the page in within a minute',
    data: pageTicket,
    errors: [],
  },
  pageLogin: {
    method: 'POST',
    path: '/page/login',
    summary: 'Uses a ticket of the page up, and answers the key it was made with',
    open: true,
    body: pageLogin,
    data: z.object({ api_key: z.string() }),
    errors: [6013],
  },
} as const satisfies Record<string, Route>

/** The page itself. */
export const rawPageRoutes = {
  page: {
    method: 'GET',
    path: '/',
    summary: 'A page for people: tasks, results, files, credits, and what is ready',
    open: true,
    headers: ['If-None-Match'],
    answers: { 200: { description: 'The page', type: 'text/html' } },
    errors: [],
  },
  pagePart: {
    method: 'GET',
    path: '/page/{name}',
    summary: 'A script, the style or the picture of that page',
    open: true,
    headers: ['If-None-Match'],
    answers: { 200: { description: 'The part', type: '*/*' } },
    errors: [6005],
  },
} as const satisfies Record<string, RawRoute>

/** Endpoints whose answer is the JSON envelope. */
export const routes = { ...fileRoutes, ...taskRoutes, ...serviceRoutes, ...pageRoutes } as const

/** Endpoints that answer bytes, a socket or JSON without an envelope. */
export const rawRoutes = {
  ...rawFileRoutes,
  ...rawTaskRoutes,
  ...rawServiceRoutes,
  ...rawPageRoutes,
} as const

/** All of them by their names, group by group. */
export const endpoints: Readonly<Record<string, Route | RawRoute>> = {
  ...{ ...fileRoutes, ...rawFileRoutes },
  ...{ ...taskRoutes, ...rawTaskRoutes },
  ...{ ...serviceRoutes, ...rawServiceRoutes },
  ...{ ...pageRoutes, ...rawPageRoutes },
}

/** Fills the parameters of a path, escaped. */
export function fillPath(path: string, parameters: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name]
    if (value === undefined) throw new TypeError(`path parameter ${name} missing for ${path}`)
    return encodePathSegment(value)
  })
}

/** What cannot be escaped is no id either: half a character, and `..`, which leads elsewhere in every form (URL standard). */
function encodePathSegment(value: string): string {
  return encodeURIComponent(/^\.\.?$/.test(value) ? '\ufffd' : value.toWellFormed())
}

/** The relative address of a file's bytes, as `download_url`. */
export function downloadUrl(fileId: string): string {
  return fillPath(rawRoutes.downloadFile.path, { file_id: fileId })
}
