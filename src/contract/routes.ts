import * as z from 'zod'
import { capabilities, enums, layoutPage, layoutsQuery, ledgerPage, ledgerQuery, voices } from './catalog.ts'
import { timestamp } from './fields.ts'
import { fileRoutes, rawFileRoutes } from './file-routes.ts'
import { libraryRoutes, rawLibraryRoutes } from './library-routes.ts'
import {
  answersReport,
  maxAnswersBytes,
  questionAnswers,
  questionImageTypes,
  questionList,
} from './questions.ts'
import { pageRoutes, rawPageRoutes } from './page-routes.ts'
import type { RawRoute, Route } from './route.ts'
import {
  taskCreated,
  taskList,
  taskListQuery,
  taskQuote,
  taskRecord,
  taskSubjects,
  taskSubjectsQuery,
} from './task.ts'

/** A ticket opens one event socket within a minute; for browsers, which cannot send a header with a WebSocket. */
export const eventTicket = z.object({ ticket: z.string(), expires_at: timestamp })

/** Endpoints of tasks. */
export const taskRoutes = {
  createTask: {
    method: 'POST',
    path: '/task/{task_type}',
    summary: 'Creates a task',
    headers: ['Priority', 'Idempotency-Key', 'Prefer', 'Answers-Questions'],
    body: z.record(z.string(), z.unknown()),
    data: taskCreated,
    errors: [
      400, 5202, 6001, 6004, 6009, 6013, 6014, 6015, 6017, 6019, 6021, 6022, 6023, 6030, 6031, 6032, 6035,
      6201, 6202, 6401, 6402,
    ],
  },
  quoteTask: {
    method: 'POST',
    path: '/task/{task_type}/quote',
    summary: 'Returns price and expected duration of a task without creating it',
    headers: ['Priority', 'Prefer', 'Answers-Questions'],
    body: z.record(z.string(), z.unknown()),
    data: taskQuote,
    errors: [
      400, 5202, 6001, 6004, 6013, 6014, 6015, 6017, 6019, 6021, 6022, 6023, 6030, 6031, 6032, 6035, 6401,
      6402,
    ],
  },
  queryTask: {
    method: 'GET',
    path: '/task/{task_type}/{task_id}',
    summary: 'Returns a task',
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
  listSubjects: {
    method: 'GET',
    path: '/task/subjects',
    summary: 'Returns what tasks work on, for people: names of files, or the text of a search',
    query: taskSubjectsQuery,
    data: taskSubjects,
    errors: [],
  },
  cancelTask: {
    method: 'POST',
    path: '/task/{task_id}/cancel',
    summary: 'Cancels a queued task and refunds its credits',
    data: z.literal(''),
    errors: [6005, 6007],
  },
  stopTask: {
    method: 'POST',
    path: '/task/{task_id}/stop',
    summary: 'Stops a queued or running task and refunds its credits',
    data: taskRecord,
    errors: [6005, 6007],
  },
  listQuestions: {
    method: 'GET',
    path: '/task/{task_id}/questions',
    summary: 'Lists the open questions of a task to the agent that created it',
    data: questionList,
    errors: [6005],
  },
  answerQuestions: {
    method: 'POST',
    path: '/task/{task_id}/answers',
    summary: 'Answers questions of a task; with the last answer it continues',
    body: questionAnswers,
    maxBodyBytes: maxAnswersBytes,
    data: answersReport,
    errors: [6005, 6013],
  },
  eventTicket: {
    method: 'POST',
    path: '/task/events/ticket',
    summary: 'Creates a ticket that opens one event socket within a minute',
    data: eventTicket,
    errors: [],
  },
} as const satisfies Record<string, Route>

/** The event socket, and images of questions. */
export const rawTaskRoutes = {
  questionImage: {
    method: 'GET',
    path: '/task/{task_id}/questions/{question_id}/images/{index}',
    summary: 'Returns an image of a question',
    answers: { 200: { description: 'The image', type: questionImageTypes } },
    errors: [6004, 6005],
  },
  taskEvents: {
    method: 'GET',
    path: '/task/events',
    summary: 'Opens a WebSocket with the events of tasks',
    insteadOfKey: 'ticket',
    query: z.object({ ticket: z.string().optional().describe('Instead of the Authorization header') }),
    answers: { 101: { description: 'A WebSocket' } },
    errors: [],
  },
} as const satisfies Record<string, RawRoute>

/** Proof of identity: the instance, and HMAC-SHA256 of nonce and instance with the key of this run. */
const health = z.object({ instance: z.string(), version: z.string(), proof: z.string() })

/** Endpoints about the service. */
export const serviceRoutes = {
  capabilities: {
    method: 'GET',
    path: '/base/capabilities',
    summary:
      'Returns which operations are ready, what is missing and how to install it, limits, prices, credits and task counts',
    data: capabilities,
    errors: [],
  },
  enums: {
    method: 'GET',
    path: '/base/enums',
    summary: 'Lists all enumerated values of the API',
    headers: ['If-None-Match'],
    data: enums,
    errors: [],
  },
  voices: {
    method: 'GET',
    path: '/base/voices',
    summary: 'Lists voices with their languages',
    headers: ['If-None-Match'],
    data: voices,
    errors: [],
  },
  layouts: {
    method: 'GET',
    path: '/base/layouts',
    summary: 'Lists split-screen layouts, each with a sketch',
    headers: ['If-None-Match'],
    query: layoutsQuery,
    data: layoutPage,
    errors: [],
  },
  listLedger: {
    method: 'GET',
    path: '/base/ledger',
    summary: 'Lists credits added to and taken from the account, newest first',
    query: ledgerQuery,
    data: ledgerPage,
    errors: [],
  },
  exitDaemon: {
    method: 'POST',
    path: '/daemon/exit',
    summary: 'Asks an idle local service to exit, so that a newer version can start',
    data: z.literal(''),
    errors: [6007],
  },
} as const satisfies Record<string, Route>

/** Endpoints about the service that respond without an envelope. */
export const rawServiceRoutes = {
  health: {
    method: 'GET',
    path: '/health',
    summary: 'Proves the identity of the service',
    open: true,
    query: z.object({ nonce: z.string().max(200).default('').describe('Input of the proof') }),
    answers: { 200: { description: 'The proof', type: 'application/json', schema: health } },
    errors: [],
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    summary: "Metrics of the service in Prometheus's text format",
    answers: { 200: { description: 'The metrics', type: 'text/plain' } },
    errors: [],
  },
  documents: {
    method: 'GET',
    path: '/docs',
    summary: 'The API documentation as a web page',
    open: true,
    headers: ['If-None-Match'],
    answers: { 200: { description: 'The page', type: 'text/html' } },
    errors: [],
  },
  openapi: {
    method: 'GET',
    path: '/docs/openapi.json',
    summary: 'The API as an OpenAPI 3.1 document',
    open: true,
    headers: ['If-None-Match'],
    answers: { 200: { description: 'The document', type: 'application/json' } },
    errors: [],
  },
} as const satisfies Record<string, RawRoute>

/** Endpoints that respond with the JSON envelope. */
export const routes = {
  ...fileRoutes,
  ...taskRoutes,
  ...libraryRoutes,
  ...serviceRoutes,
  ...pageRoutes,
} as const

/** Endpoints that respond with bytes, a socket or JSON without an envelope. */
export const rawRoutes = {
  ...rawFileRoutes,
  ...rawTaskRoutes,
  ...rawLibraryRoutes,
  ...rawServiceRoutes,
  ...rawPageRoutes,
} as const

/** All endpoints by name, grouped. */
export const endpoints: Readonly<Record<string, Route | RawRoute>> = {
  ...{ ...fileRoutes, ...rawFileRoutes },
  ...{ ...taskRoutes, ...rawTaskRoutes },
  ...{ ...libraryRoutes, ...rawLibraryRoutes },
  ...{ ...serviceRoutes, ...rawServiceRoutes },
  ...{ ...pageRoutes, ...rawPageRoutes },
}

/** Inserts percent-encoded parameters into a path. */
export function fillPath(path: string, parameters: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name]
    if (value === undefined) throw new TypeError(`path parameter ${name} missing for ${path}`)
    return encodePathSegment(value)
  })
}

/** Replaces segments that cannot be encoded and so cannot be ids: lone surrogates, and `.` or `..` (URL standard). */
function encodePathSegment(value: string): string {
  return encodeURIComponent(/^\.\.?$/.test(value) ? '\ufffd' : value.toWellFormed())
}

/** Relative URL of a file's content, as in `download_url`. */
export function downloadUrl(fileId: string): string {
  return fillPath(rawRoutes.downloadFile.path, { file_id: fileId })
}
