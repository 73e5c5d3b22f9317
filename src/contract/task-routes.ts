import * as z from 'zod'
import type { RawRoute, Route } from './route.ts'
import { taskCreated, taskQuote, taskList, taskListQuery, taskRecord } from './task.ts'
import { timestamp } from './time.ts'

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
