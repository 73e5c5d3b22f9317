import {
  commonErrors,
  type Endpoint,
  messageSuccessCode,
  type RawRoute,
  type Route,
  successCode,
} from '../contract/route.ts'
import { errorTable, type ErrorCode } from '../contract/errors.ts'
import { jsonSchemaOf, type JsonSchema } from '../contract/json-schema.ts'
import type { Operation } from '../contract/operation.ts'

/** The response for one status. */
export interface ApiResponse {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>
  /** By media type. */
  readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>>
}

/** By HTTP status. */
type ApiResponses = Readonly<Record<string, ApiResponse>>

/** Envelope of a failure. Each endpoint lists its codes. */
export const failureSchema: JsonSchema = {
  type: 'object',
  properties: {
    code: { type: 'integer' },
    msg: { type: 'string', description: 'What is wrong' },
    data: { type: 'null' },
    hint: { type: 'string', description: 'How to fix it' },
    retryable: { type: 'boolean', description: 'Whether the same call may succeed later without a change' },
  },
  required: ['code', 'msg', 'data', 'hint', 'retryable'],
}

const retryAfter = { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } } as const
const entityTag = { ETag: { description: 'Changes with the content', schema: { type: 'string' } } } as const

/** Failure responses of an endpoint, by status. */
export function failureResponses({ errors }: Endpoint): ApiResponses {
  const codes = [...new Set<ErrorCode>([...errors, ...commonErrors])].toSorted((one, other) => one - other)
  const byStatus = Map.groupBy(codes, (code) => errorTable[code].status)
  return Object.fromEntries([...byStatus].map(([status, some]) => [status, failureResponse(status, some)]))
}

function failureResponse(status: number, codes: readonly ErrorCode[]): ApiResponse {
  const schema: JsonSchema = {
    $ref: '#/components/schemas/Failure',
    properties: { code: { enum: [...codes] } },
  }
  return {
    description: codes.map((code) => `${code} ${errorTable[code].meaning}`).join('; '),
    ...(status === 429 && { headers: retryAfter }),
    content: { 'application/json': { schema } },
  }
}

/** Success responses of an endpoint, in the envelope of its operation. */
export function successResponses(route: Route | RawRoute, operation?: Operation): ApiResponses {
  const responses = 'data' in route ? { 200: envelopeResponse(route, operation) } : rawResponses(route)
  if (!route.headers?.includes('If-None-Match')) return responses
  const unchanged = { description: 'Not modified: the client has the current version' }
  return Object.fromEntries(
    Object.entries({ ...responses, 304: unchanged }).map(([status, response]) => [
      status,
      { ...response, headers: entityTag },
    ]),
  )
}

function rawResponses({ answers }: RawRoute): ApiResponses {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { description, type = [], schema }]) => {
      const one = schema ? { schema: jsonSchemaOf(schema, 'output') } : {}
      const content = Object.fromEntries([type].flat().map((name) => [name, one]))
      return [status, { description, ...(type.length > 0 && { content }) }]
    }),
  )
}

function envelopeResponse({ data }: Route, operation?: Operation): ApiResponse {
  const [code, message] =
    operation?.envelope === 'message' ? [messageSuccessCode, 'message'] : [successCode, 'msg']
  const schema: JsonSchema = {
    type: 'object',
    properties: { code: { const: code }, [message]: { type: 'string' }, data: jsonSchemaOf(data, 'output') },
    required: ['code', message, 'data'],
  }
  return { description: 'Success', content: { 'application/json': { schema } } }
}
