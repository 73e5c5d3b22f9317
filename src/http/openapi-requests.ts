import { findFileRefs } from '../contract/file.ts'
import { jsonSchemaOf, type JsonSchema } from '../contract/json-schema.ts'
import type { Operation } from '../contract/operation.ts'
import { pathParameters, requestHeaders, type Endpoint } from '../contract/route.ts'

/** A path, query or header parameter. */
export interface ApiParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description: string
  readonly schema: JsonSchema
}

/** A request body, by media type. */
export interface ApiBody {
  readonly required: boolean
  readonly content: Readonly<
    Record<string, { readonly schema: JsonSchema; readonly examples?: Readonly<Record<string, ApiExample>> }>
  >
}

interface ApiExample {
  readonly summary: string
  readonly value: unknown
}

/** Parameters of an endpoint, except Authorization, which the security scheme describes. */
export function* requestParameters({ path, query, headers = [] }: Endpoint): Generator<ApiParameter> {
  const text: JsonSchema = { type: 'string' }
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    yield { name, in: 'path', required: true, description: pathParameters[name] ?? '', schema: text }
  }
  const { properties = {}, required = [] } = query ? jsonSchemaOf(query, 'input') : {}
  for (const [name, field] of Object.entries(properties)) {
    const { description = '', ...schema } = typeof field === 'object' ? field : {}
    yield { name, in: 'query', required: required.includes(name), description, schema }
  }
  for (const name of headers) {
    yield { name, in: 'header', required: false, description: requestHeaders[name], schema: text }
  }
}

const binarySchema: JsonSchema = { type: 'string', contentMediaType: 'application/octet-stream' }
const fileSchema = { ...binarySchema, description: 'An audio, image, video or text file' }
const formSchema: JsonSchema = { type: 'object', properties: { file: fileSchema }, required: ['file'] }

/** Request body of an endpoint; with examples for the creation of a task. */
export function requestBody({ body, sends }: Endpoint, operation?: Operation): ApiBody | undefined {
  if (sends === 'bytes')
    return { required: true, content: { 'application/octet-stream': { schema: binarySchema } } }
  if (sends === 'form') return { required: true, content: { 'multipart/form-data': { schema: formSchema } } }
  if (!body) return undefined
  const examples = operation && { examples: Object.fromEntries(requestExamples(operation).entries()) }
  return {
    required: !body.safeParse({}).success,
    content: { 'application/json': { schema: jsonSchemaOf(body, 'input'), ...examples } },
  }
}

function requestExamples({ input, examples }: Operation): ApiExample[] {
  return examples.map((example) => {
    const value = structuredClone(example.input)
    for (const [index, { path }] of findFileRefs(input, value).entries())
      setAtPath(value, path, exampleFileId(index))
    return { summary: example.title, value }
  })
}

/** Placeholder file id in examples. */
function exampleFileId(index: number): string {
  return String(1_767_323_045_000_000_000n + BigInt(index))
}

function setAtPath(value: unknown, [step, ...rest]: readonly (string | number)[], last: unknown): void {
  const holder = value as Record<string | number, unknown>
  if (step === undefined) return
  if (rest.length === 0) holder[step] = last
  else setAtPath(holder[step], rest, last)
}
