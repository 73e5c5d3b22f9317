import { expect, it } from 'vitest'
import * as z from 'zod'
import { MediaError } from '../../src/contract/errors.ts'
import { toListedError, type Operation } from '../../src/contract/operation.ts'
import { validateBody } from '../../src/tasks/check-request.ts'
import type { Fields, OperationTables, Parameter } from './tables.ts'

type Json = Readonly<Record<string, unknown>>

/** The fields of a schema in the documents' words, at a place in it. */
export function fieldsOf(schema: z.ZodType, at = '', io: 'input' | 'output' = 'output'): Fields {
  const node = nodeAt(z.toJSONSchema(schema, { io }) as Json, at)
  const required = (node['required'] ?? []) as string[]
  const entries = Object.entries((node['properties'] ?? {}) as Record<string, Json>)
  return Object.fromEntries(
    entries.map(([name, field]) => [name, `${wordFor(field)}${required.includes(name) ? '' : ', optional'}`]),
  ) as Fields
}

function nodeAt(schema: Json, at: string): Json {
  let node = schema
  for (const step of at.split('.').filter(Boolean)) {
    node = (step === '0' ? node['items'] : (node['properties'] as Json | undefined)?.[step]) as Json
  }
  return node
}

function wordFor(field: Json): string {
  const types = [field['type']].flat().map(String)
  const either = field['anyOf'] as readonly Json[] | undefined
  const words = either
    ? either.map(wordFor)
    : types.map((type) => (field['format'] === 'date-time' ? 'time' : type))
  return words.toSorted((a, b) => Number(a === 'null') - Number(b === 'null')).join(' or ')
}

/** Fields of an answer that do not hold what the document says: its name and both. */
export function wrongFields(fields: Fields, answer: Json): string[] {
  const unknown = Object.keys(answer).filter((name) => !Object.hasOwn(fields, name))
  const wrong = Object.entries(fields).flatMap(([name, word]) => {
    const [types = '', optional] = word.split(', ')
    const value = answer[name]
    if (value === undefined) return optional ? [] : [`${name} is missing`]
    return types.split(' or ').some((type) => isOf(type, value))
      ? []
      : [`${name} is ${JSON.stringify(value)}, not ${types}`]
  })
  return [...unknown.map((name) => `${name} is not documented`), ...wrong]
}

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isSafeInteger(value)
    case 'time':
      return (
        typeof value === 'string' &&
        /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) &&
        !Number.isNaN(Date.parse(value))
      )
    case 'array':
      return Array.isArray(value)
    case 'null':
      return value === null
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    default:
      return typeof value === type
  }
}

/** The smallest request with one place changed; undefined takes it away. */
export function changed(smallest: Json, at: string, value: unknown): Json {
  const request = structuredClone(smallest) as Record<string, unknown>
  const steps = at.split('.')
  const last = steps.pop() ?? ''
  let node = request
  for (const step of steps) node = node[step] as Record<string, unknown>
  if (value === undefined) delete node[last]
  else node[last] = value
  return request
}

function valueAt(request: unknown, at: string): unknown {
  return at.split('.').reduce<unknown>((node, step) => (node as Json | undefined)?.[step], request)
}

function codeOf(operation: Operation, request: Json): number | 'accepted' {
  try {
    validateBody(operation, request)
    return 'accepted'
  } catch (error) {
    const listed = toListedError(operation, error)
    if (listed instanceof MediaError) return listed.code
    throw listed
  }
}

/** One value of every type that a parameter of another type must refuse. */
const samples = { string: 'x', number: 1.5, boolean: true, array: [1], object: { a: 1 } }

function othersThan(type: Parameter['type']): unknown[] {
  const own = type === 'integer' ? 'number' : type === 'time' ? 'string' : type
  return Object.entries(samples)
    .filter(([name]) => name !== own)
    .map(([, value]) => value)
}

/** What a row of a parameter table says, held against the operation's contract. */
export function parameterLaws(
  operation: Operation,
  { smallest, missing = 6013, invalid = 6016 }: OperationTables,
  row: Parameter,
): void {
  const request = { ...smallest, ...row.with }
  const code = (value: unknown) => codeOf(operation, changed(request, row.at, value))

  const need = row.orElse ? `needed without ${row.orElse}` : row.required ? 'required' : 'optional'
  it(`${row.at} is ${need}`, () => {
    const topLevel = !row.at.includes('.')
    const left = row.orElse ? 6016 : row.required ? (topLevel ? missing : 6016) : 'accepted'
    expect(code(undefined)).toBe(left)
  })
  if (row.standard !== undefined) {
    it(`${row.at} defaults to ${JSON.stringify(row.standard)}`, () => {
      expect(valueAt(validateBody(operation, request), row.at)).toEqual(row.standard)
    })
  }
  const others = row.isTolerant ? 'tolerates others' : 'nothing else'
  it(`${row.at} takes ${row.values?.join(', ') ?? row.type} and ${others}`, () => {
    const accepted = row.accepts ?? row.values ?? []
    expect(accepted.filter((value) => code(value) !== 'accepted')).toEqual([])
    const refused = [...(row.refuses ?? []), ...othersThan(row.type)]
    const expected = row.isTolerant ? 'accepted' : invalid
    expect(refused.filter((value) => code(value) !== expected)).toEqual([])
    if (row.values) expect(enumerationAt(operation.input, row.at)).toEqual(row.values)
  })
}

function enumerationAt(schema: z.ZodType, at: string): unknown {
  return nodeAt(z.toJSONSchema(schema, { io: 'input' }) as Json, at)['enum']
}
