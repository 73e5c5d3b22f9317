import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { describeApi, type ApiOperation } from '../../src/http/openapi.ts'
import { operations } from '../../tools/index.ts'
import { synchronousModule, fakeModule, messageEnvelopeModule } from './fake-operation.ts'

/** API document with the operations of the tests. */
export const apiDocument = describeApi(
  [synchronousModule, fakeModule, messageEnvelopeModule, ...operations].map(({ operation }) => operation),
  { version: '0.0.0-test' },
)

/** A response to compare with the document. */
interface ReceivedResponse {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly status: number
  readonly type: string | null
  readonly body: string
}

/**
 * Throws when a response contradicts the OpenAPI document: an undeclared status or code, another media
 * type, an additional or missing field. Ignores endpoints outside the document.
 */
export function assertDocumented({ method, path, status, type, body }: ReceivedResponse): void {
  const found = findEndpoint(method, path.split('?')[0] ?? '')
  if (!found) return
  const where = `${method} ${path} returned ${status}`
  const response = found.operation.responses[status]
  if (!response)
    throw new Error(`${where}, which its route in src/contract does not declare: ${body.slice(0, 500)}`)
  if (method === 'HEAD' || (body === '' && !response.content)) return
  const media = type?.split(';')[0] ?? ''
  const content = response.content ?? {}
  if (!(media in content) && !('*/*' in content)) throw new Error(`${where} with ${media || 'nothing'}`)
  if (!content[media]?.schema) return
  const validate = validatorOf([
    'paths',
    found.path,
    found.method,
    'responses',
    String(status),
    'content',
    media,
    'schema',
  ])
  if (!validate(JSON.parse(body))) {
    throw new Error(
      `${where} differs from the document: ${JSON.stringify(validate.errors)} ${body.slice(0, 500)}`,
    )
  }
}

/** Exact paths take precedence over paths with parameters. */
const endpoints = Object.entries(apiDocument.paths)
  .map(([template, methods]) => ({ template, methods, pattern: patternOf(template) }))
  .toSorted((one, other) => parameterCount(one.template) - parameterCount(other.template))

function findEndpoint(
  method: string,
  path: string,
): { path: string; method: string; operation: ApiOperation } | undefined {
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
  for (const { template, methods, pattern } of endpoints) {
    const operation = methods[verb]
    if (operation && pattern.test(path)) return { path: template, method: verb, operation }
  }
  return undefined
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}

function parameterCount(template: string): number {
  return template.split('{').length
}

const validators = new Map<string, ValidateFunction>()
let ajv: Ajv2020 | undefined

/** Validates values against a schema of the document. */
export function validatorOf(path: readonly string[]): ValidateFunction {
  const pointer = path.map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
  const known = validators.get(pointer)
  if (known) return known
  ajv ??= new Ajv2020({ strict: false, allErrors: true, formats: fullFormats }).addSchema(
    forbidAdditionalProperties(apiDocument),
    'api',
  )
  const validate = ajv.compile({ $ref: `api#/${encodeURI(pointer)}` })
  validators.set(pointer, validate)
  return validate
}

/** The document without additional properties; the published one allows new fields. */
function forbidAdditionalProperties(node: unknown): object {
  const close = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(close)
    if (typeof value !== 'object' || value === null) return value
    const inner = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, close(item)]))
    const names = 'type' in value && value.type === 'object' && 'properties' in value
    return names ? { additionalProperties: false, ...inner } : inner
  }
  return close(node) as object
}
