import * as z from 'zod'
import type { RawRoute, Route } from './route.ts'
import { timestamp } from './time.ts'

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
