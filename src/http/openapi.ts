import * as z from 'zod'
import { describePrice } from '../contract/credits.ts'
import type { JsonSchema } from '../contract/json-schema.ts'
import type { Operation } from '../contract/operation.ts'
import type { Endpoint, RawRoute, Route } from '../contract/route.ts'
import { endpoints, routes } from '../contract/routes.ts'
import { taskCreated, taskError, taskQuote, taskRecord } from '../contract/task.ts'
import { failureSchema, failuresOf, successesOf, type ApiAnswer } from './openapi-answers.ts'
import { bodyOf, parametersOf, type ApiBody, type ApiParameter } from './openapi-requests.ts'

/** The parts of an OpenAPI 3.1 document that this one uses. */
export interface OpenApi {
  readonly openapi: '3.1.1'
  readonly info: Readonly<Record<'title' | 'version' | 'description', string>>
  readonly tags: readonly { readonly name: string }[]
  readonly security: readonly Security[]
  /** By path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>
    readonly schemas: Readonly<Record<string, JsonSchema>>
  }
}

type Security = Readonly<Record<string, readonly string[]>>

/** One endpoint. */
export interface ApiOperation {
  readonly operationId: string
  readonly tags: readonly [string]
  readonly summary: string
  readonly description?: string
  /** Empty where no key is needed; left out where only a key is taken. */
  readonly security?: readonly Security[]
  readonly parameters: readonly ApiParameter[]
  readonly requestBody?: ApiBody
  /** By HTTP status. */
  readonly responses: Readonly<Record<string, ApiAnswer>>
}

const about =
  'Upload a file, create a task that names its file_id, follow the task until it has ended, download the result. ' +
  'An API key is the whole value of the Authorization header. A success is {"code": 200, "msg", "data"}; a failure has ' +
  'a code of its own, data null, hint (what to do about it) and retryable. Ids are strings of digits.'

/** What of a service its document depends on beside the operations. */
export interface AboutService {
  readonly version: string
  /** Whether the key may come in the query too. */
  readonly allowQueryAuthorization?: boolean
}

/** Describes the HTTP interface from what handlers and clients use; each task type has endpoints of its own. */
export function describeApi(
  operations: readonly Operation[],
  { version, allowQueryAuthorization = false }: AboutService,
): OpenApi {
  const paths: Record<string, Record<string, ApiOperation>> = {}
  for (const [route, described] of describeAll(operations)) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: described }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Reelwright', version, description: about },
    tags: ['Files', 'Tasks', 'Service'].map((name) => ({ name })),
    security: [{ key: [] }, ...(allowQueryAuthorization ? [{ key_in_query: [] }] : [])],
    paths,
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'Authorization' },
        ...(allowQueryAuthorization && {
          key_in_query: { type: 'apiKey' as const, in: 'query' as const, name: 'Authorization' },
        }),
        ...Object.fromEntries(substitutes().map((name) => [name, { type: 'apiKey', in: 'query', name }])),
      },
      schemas: { Failure: failureSchema },
    },
  }
}

function* describeAll(operations: readonly Operation[]): Generator<[Endpoint, ApiOperation]> {
  for (const [id, route] of Object.entries(endpoints)) {
    if (!route.path.includes('{task_type}')) yield [route, describe(id, route)]
    else {
      for (const operation of operations) {
        const own = routeOf(operation, route)
        yield [own, describe(`${id}_${operation.name}`, own, operation)]
      }
    }
  }
}

function describe(operationId: string, route: Route | RawRoute, operation?: Operation): ApiOperation {
  const body = bodyOf(route, operation)
  return {
    operationId,
    tags: [tagOf(route)],
    summary: route.summary,
    ...(operation && { description: `${operation.description} Price: ${describePrice(operation.price)}.` }),
    ...securityOf(route),
    parameters: [...parametersOf(route)],
    ...(body && { requestBody: body }),
    responses: { ...successesOf(route, operation), ...failuresOf(route) },
  }
}

/** Parameters of queries that are taken instead of a key. */
function substitutes(): string[] {
  return Object.values(endpoints).flatMap(({ insteadOfKey }) => insteadOfKey ?? [])
}

function securityOf({ open, insteadOfKey }: Endpoint): Pick<ApiOperation, 'security'> {
  if (open) return { security: [] }
  return insteadOfKey === undefined ? {} : { security: [{ key: [] }, { [insteadOfKey]: [] }] }
}

function tagOf({ path }: Endpoint): string {
  if (path.startsWith('/base/file/')) return 'Files'
  return path.startsWith('/task/') ? 'Tasks' : 'Service'
}

/** Creation, quote or query as it is for one operation. */
function routeOf(operation: Operation, route: Endpoint): Route {
  return {
    ...route,
    path: route.path.replace('{task_type}', operation.name),
    summary: `${operation.title}: ${route.summary}`,
    ...(route.body && { body: operation.input }),
    data: dataOf(operation, route),
  }
}

function dataOf(operation: Operation, { path }: Endpoint): z.ZodType {
  if (path === routes.createTask.path) {
    const created = creationOf(operation)
    if (!operation.synchronous) return created
    return z.union([operation.output.extend({ task_id: taskCreated.shape.task_id }), created])
  }
  return path === routes.quoteTask.path ? taskQuote : queryOf(operation)
}

function creationOf({ envelope, createdExtra = [] }: Operation): z.ZodObject {
  const { task_id, task_type, status, created_at, joined, ...estimates } = taskCreated.shape
  if (envelope === 'message') return z.object({ task_id, joined })
  return z.object({
    ...{ task_id, task_type, status },
    ...(createdExtra.includes('created_at') && z.object({ created_at }).required().shape),
    ...(createdExtra.includes('estimates') && z.object(estimates).required().shape),
    joined,
  })
}

/** `output_result` is the result once completed, the error once failed. */
function queryOf({ output }: Operation): z.ZodObject {
  return taskRecord.extend({ output_result: z.union([output, z.object({ error: taskError }), z.null()]) })
}
