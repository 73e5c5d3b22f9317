import * as z from 'zod'
import type { ErrorCode } from './errors.ts'

/** Names between braces in a path. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never

/** Values of a query by name. */
export type Query = Readonly<Record<string, string | number | undefined>>

/** Declaration of an endpoint, which handlers, clients and the OpenAPI document share. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `{name}` is a parameter. */
  readonly path: string
  /** One line for the documentation. */
  readonly summary: string
  /** Needs no key. */
  readonly open?: true
  /** Query parameter that replaces the API key. */
  readonly insteadOfKey?: string
  readonly query?: z.ZodType<unknown, Query>
  /** Request headers it reads, besides Authorization. */
  readonly headers?: readonly RequestHeader[]
  /** JSON body. */
  readonly body?: z.ZodType
  /** Largest JSON body, bytes; `defaultBodyBytes` if absent. Of task types, their operations state it. */
  readonly maxBodyBytes?: number
  /** A body other than JSON: a form with one file in the field `file`, or raw bytes. */
  readonly sends?: 'form' | 'bytes'
  /** Error codes it may return, besides those of every endpoint. */
  readonly errors: readonly ErrorCode[]
}

/** An endpoint that responds with the JSON envelope; `data` is the schema of its data. */
export interface Route extends Endpoint {
  readonly data: z.ZodType
}

/** An endpoint that responds without an envelope; `answers` declares the content by status. */
export interface RawRoute extends Endpoint {
  readonly answers: Readonly<Record<number, Content>>
}

interface Content {
  readonly description: string
  /** Media type, or all that it may have; absent without content. */
  readonly type?: string | readonly string[]
  /** Of JSON content. */
  readonly schema?: z.ZodType
}

/** Error codes that every endpoint may return. */
export const commonErrors = [6016, 6032, 6401, 6500, 6502] as const satisfies readonly ErrorCode[]

/** Request headers that some endpoints read. */
export const requestHeaders = {
  Priority: 'Urgency of a task (RFC 9218): `u=0` to `u=2` high, `u=3` or none normal, `u=4` to `u=7` low',
  'Answers-Questions':
    'Value `1`: the caller answers questions to a language model itself, if no model is configured',
  'Idempotency-Key':
    'Identifies this creation: the same key and body within 24 hours return the first task, another body 6016',
  Prefer:
    '`join-identical` (RFC 7240): returns the unfinished task of an equal creation, if there is one, with `joined`; ' +
    '`respond-async`: an operation that responds with its result responds with its task instead, at once',
  Range: 'One range of bytes (RFC 9110, section 14); several ranges return the whole file',
  'If-Range': 'ETag of the content that the range belongs to; with another ETag the whole file is returned',
  'If-None-Match': 'ETags that the caller has cached; 304 if the current one is among them',
} as const
type RequestHeader = keyof typeof requestHeaders

/** Description of each path parameter. */
export const pathParameters: Readonly<Record<string, string>> = {
  question_id: 'Id of a question of the task',
  file_id: 'Id of a file of the account',
  task_id: 'Id of a task of the account',
  task_type: 'Task type key',
  upload_id: 'Id of an upload session',
  index: 'Index of the part or image, from 0',
  name: 'Name of a file of the web page',
  material_id: 'Id of a material of the library',
  part: 'One of original, accompaniment, cover, preview and thumb',
}

/** Largest JSON body of endpoints that state no other limit, bytes: a path of 4096 characters with escapes fits. */
export const defaultBodyBytes = 64 * 1024

/** Success code of the common envelope (contract 1, section 2.1). */
export const successCode = 200

/** Success code of the operations whose envelope is `{code, message, data}` (contract 1, section 2.1). */
export const messageSuccessCode = 0

/** Accepts both forms: `{code: 200, msg}` and, for three operations, `{code: 0, message}`. */
export const anyEnvelope = z.object({
  code: z.int(),
  msg: z.string().optional(),
  message: z.string().optional(),
  data: z.unknown().optional(),
  // Additions of our service to the contract, for failures.
  hint: z.string().optional(),
  retryable: z.boolean().optional(),
})
