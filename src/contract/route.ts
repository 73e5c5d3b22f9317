import * as z from 'zod'
import type { ErrorCode } from './errors.ts'

/** Names between braces in a path. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never

/** Values of a query by name. */
export type Query = Readonly<Record<string, string | number | undefined>>

/** What every endpoint declares; handlers, clients and the OpenAPI document read the same. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `{name}` is a parameter. */
  readonly path: string
  /** What it does, in one line for documents. */
  readonly summary: string
  /** Needs no key. */
  readonly open?: true
  /** Parameter of the query that is taken instead of a key. */
  readonly insteadOfKey?: string
  readonly query?: z.ZodType<unknown, Query>
  /** Request headers that count here, beside Authorization. */
  readonly headers?: readonly RequestHeader[]
  /** JSON body. */
  readonly body?: z.ZodType
  /** A body that is no JSON: a form with one file in the field `file`, or bare bytes. */
  readonly sends?: 'form' | 'bytes'
  /** Codes it answers, beside those that every endpoint may answer. */
  readonly errors: readonly ErrorCode[]
}

/** An endpoint that answers the JSON envelope; `data` is what a success carries. */
export interface Route extends Endpoint {
  readonly data: z.ZodType
}

/** An endpoint whose successes have no envelope: what each status carries. */
export interface RawRoute extends Endpoint {
  readonly answers: Readonly<Record<number, Content>>
}

interface Content {
  readonly description: string
  /** Media type; left out where there is no content. */
  readonly type?: string
  /** Of JSON content. */
  readonly schema?: z.ZodType
}

/** Codes that any endpoint may answer. */
export const commonErrors = [6016, 6401, 6500, 6502] as const satisfies readonly ErrorCode[]

/** Request headers that some endpoints read. */
export const requestHeaders = {
  Priority: 'Urgency of a task (RFC 9218): `u=0` to `u=2` high, `u=3` or none normal, `u=4` to `u=7` low',
  'Idempotency-Key':
    'Names this creation: the same key and body within 24 hours answer with the first task, another body with 6016',
  Prefer:
    '`join-identical` (RFC 7240): the task of an equal creation that has not ended does as well, and is answered with `joined`; ' +
    '`respond-async`: an operation that answers with its result answers with its task instead, at once',
  Range: 'One range of bytes (RFC 9110, section 14); several mean the whole',
  'If-Range': 'The ETag the range belongs to; for any other the whole is answered',
  'If-None-Match': 'ETags the caller has; 304 when the present one is among them',
} as const
type RequestHeader = keyof typeof requestHeaders

/** What each path parameter is. */
export const pathParameters: Readonly<Record<string, string>> = {
  file_id: 'Id of a file of the account',
  task_id: 'Id of a task of the account',
  task_type: 'Task type key',
  upload_id: 'Id of an upload session',
  index: 'Place of the part, counted from 0',
  name: 'Name of a file of the page',
}

/** JSON bodies, bytes. */
export const maxBodyBytes = 32 * 2 ** 20

/** Success code of the common envelope (contract 1, section 2.1). */
export const successCode = 200

/** Success code of the operations whose envelope is `{code, message, data}` (contract 1, section 2.1). */
export const messageSuccessCode = 0

/** Reads both forms: `{code: 200, msg}` and, of three operations, `{code: 0, message}`. */
export const anyEnvelope = z.object({
  code: z.int(),
  msg: z.string().optional(),
  message: z.string().optional(),
  data: z.unknown().optional(),
  // Our own service tells these of a failure beyond the contract.
  hint: z.string().optional(),
  retryable: z.boolean().optional(),
})
