import * as z from 'zod'
import { describePrice } from '../contract/credits.ts'
import type { JsonSchema } from '../contract/json-schema.ts'
import type { Operation } from '../contract/operation.ts'
import type { Endpoint, RawRoute, Route } from '../contract/route.ts'
import { endpoints, routes } from '../contract/routes.ts'
import { taskCreated, taskError, taskQuote, taskRecord } from '../contract/task.ts'
import { failureSchema, failureResponses, successResponses, type ApiResponse } from './openapi-responses.ts'
import { requestBody, requestParameters, type ApiBody, type ApiParameter } from './openapi-requests.ts'

/** The parts of an OpenAPI 3.1 document that this service uses. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1'
  readonly info: Readonly<Record<'title' | 'version' | 'description', string>>
  readonly tags: readonly { readonly name: string }[]
  readonly security: readonly SecurityRequirement[]
  /** By path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>
    readonly schemas: Readonly<Record<string, JsonSchema>>
  }
}

type SecurityRequirement = Readonly<Record<string, readonly string[]>>

/** An endpoint. */
export interface ApiOperation {
  readonly operationId: string
  readonly tags: readonly [string]
  readonly summary: string
  readonly description?: string
  /** Empty when no key is needed; absent when only a key is accepted. */
  readonly security?: readonly SecurityRequirement[]
  readonly parameters: readonly ApiParameter[]
  readonly requestBody?: ApiBody
  /** By HTTP status. */
  readonly responses: Readonly<Record<string, ApiResponse>>
}

const apiDescription =
  'Upload a file, create a task that names its file_id, wait until the task has ended, download the result. ' +
  'An API key is the whole value of the Authorization header. A success is {"code": 200, "msg", "data"}; a failure has ' +
  'a code of its own, data null, hint (how to fix it) and retryable. Ids are strings of digits.'

/** Properties of the service that appear in the document. */
export interface DescribeApiOptions {
  readonly version: string
  /** Whether the query may contain the key. */
  readonly allowQueryAuthorization?: boolean
}

/** Describes the HTTP API from the contract. Each task type has its own endpoints. */
export function describeApi(
  operations: readonly Operation[],
  { version, allowQueryAuthorization = false }: DescribeApiOptions,
): OpenApiDocument {
  const paths: Record<string, Record<string, ApiOperation>> = {}
  for (const [route, described] of describeEndpoints(operations)) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: described }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Reelwright', version, description: apiDescription },
    tags: ['Files', 'Tasks', 'Service'].map((name) => ({ name })),
    security: [{ key: [] }, ...(allowQueryAuthorization ? [{ key_in_query: [] }] : [])],
    paths,
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: 'Authorization' },
        ...(allowQueryAuthorization && {
          key_in_query: { type: 'apiKey' as const, in: 'query' as const, name: 'Authorization' },
        }),
        ...Object.fromEntries(keySubstitutes().map((name) => [name, { type: 'apiKey', in: 'query', name }])),
      },
      schemas: { Failure: failureSchema },
    },
  }
}

function* describeEndpoints(operations: readonly Operation[]): Generator<[Endpoint, ApiOperation]> {
  for (const [id, route] of Object.entries(endpoints)) {
    if (!route.path.includes('{task_type}')) yield [route, describeEndpoint(id, route)]
    else {
      for (const operation of operations) {
        const own = operationRoute(operation, route)
        yield [own, describeEndpoint(`${id}_${operation.name}`, own, operation)]
      }
    }
  }
}

function describeOperation({ description, details, price }: Operation): string {
  return [description, ...(details === undefined ? [] : [details]), `Price: ${describePrice(price)}.`].join(
    ' ',
  )
}

function describeEndpoint(operationId: string, route: Route | RawRoute, operation?: Operation): ApiOperation {
  const body = requestBody(route, operation)
  return {
    operationId,
    tags: [endpointTag(route)],
    summary: route.summary,
    ...(operation && { description: describeOperation(operation) }),
    ...endpointSecurity(route),
    parameters: [...requestParameters(route)],
    ...(body && { requestBody: body }),
    responses: { ...successResponses(route, operation), ...failureResponses(route) },
  }
}

/** Query parameters that can replace the key. */
function keySubstitutes(): string[] {
  return Object.values(endpoints).flatMap(({ insteadOfKey }) => insteadOfKey ?? [])
}

function endpointSecurity({ open, insteadOfKey }: Endpoint): Pick<ApiOperation, 'security'> {
  if (open) return { security: [] }
  return insteadOfKey === undefined ? {} : { security: [{ key: [] }, { [insteadOfKey]: [] }] }
}

function endpointTag({ path }: Endpoint): string {
  if (path.startsWith('/base/file/')) return 'Files'
  return path.startsWith('/task/') ? 'Tasks' : 'Service'
}

/** The create, quote or query route of one operation. */
function operationRoute(operation: Operation, route: Endpoint): Route {
  return {
    ...route,
    path: route.path.replace('{task_type}', operation.name),
    summary: `${operation.title}: ${route.summary}`,
    ...(route.body && { body: operation.input }),
    data: responseData(operation, route),
  }
}

function responseData(operation: Operation, { path }: Endpoint): z.ZodType {
  if (path === routes.createTask.path) {
    const created = creationSchema(operation)
    if (!operation.synchronous) return created
    return z.union([operation.output.extend({ task_id: taskCreated.shape.task_id }), created])
  }
  return path === routes.quoteTask.path ? taskQuote : querySchema(operation)
}

function creationSchema({ envelope, createdExtra = [] }: Operation): z.ZodObject {
  const { task_id, task_type, status, created_at, joined, ...estimates } = taskCreated.shape
  if (envelope === 'message') return z.object({ task_id, joined })
  return z.object({
    ...{ task_id, task_type, status },
    ...(createdExtra.includes('created_at') && z.object({ created_at }).required().shape),
    ...(createdExtra.includes('estimates') && z.object(estimates).required().shape),
    joined,
  })
}

/** Schema of a task; `output_result` is the result when completed, an error when failed. */
function querySchema({ output }: Operation): z.ZodObject {
  return taskRecord.extend({ output_result: z.union([output, z.object({ error: taskError }), z.null()]) })
}
