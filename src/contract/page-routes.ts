import * as z from 'zod'
import { timestamp } from './fields.ts'
import type { RawRoute, Route } from './route.ts'

/** A ticket signs in to the web page once, within a minute; it follows the `#` of the page's address. */
export const pageTicket = z.object({ ticket: z.string(), expires_at: timestamp })

/** Body of signing in. */
export const pageLogin = z.object({ ticket: z.string().min(1).max(200) })

/** Endpoints for the web page and the command that opens it. */
export const pageRoutes = {
  pageTicket: {
    method: 'POST',
    path: '/page/ticket',
    summary: 'Creates a ticket that signs in to the web page within a minute',
    data: pageTicket,
    errors: [],
  },
  pageLogin: {
    method: 'POST',
    path: '/page/login',
    summary: 'Redeems a ticket of the web page for the API key it was created with',
    open: true,
    body: pageLogin,
    maxBodyBytes: 1024,
    data: z.object({ api_key: z.string() }),
    errors: [6013],
  },
} as const satisfies Record<string, Route>

/** The web page. */
export const rawPageRoutes = {
  page: {
    method: 'GET',
    path: '/',
    summary: 'The web page: tasks, results, files, credits and readiness',
    open: true,
    headers: ['If-None-Match'],
    answers: { 200: { description: 'The page', type: 'text/html' } },
    errors: [],
  },
  pagePart: {
    method: 'GET',
    path: '/page/{name}',
    summary: 'A script, style sheet or image of the web page',
    open: true,
    headers: ['If-None-Match'],
    answers: { 200: { description: 'The part', type: '*/*' } },
    errors: [6005],
  },
} as const satisfies Record<string, RawRoute>
