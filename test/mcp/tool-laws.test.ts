import { describe, expect, test } from 'vitest'
import { allTools } from '../../src/mcp/tools/all-tools.ts'
import { operations } from '../../tools/index.ts'

const tools = [...allTools(operations.map(({ operation }) => operation)).values()].map(
  ({ definition }) => definition,
)

type Node = Readonly<Record<string, unknown>>

/** Every schema object inside a schema, with its path. */
function* nodesOf(schema: unknown, path = ''): Generator<[string, Node]> {
  if (typeof schema !== 'object' || schema === null) return
  if (!Array.isArray(schema)) yield [path, schema as Node]
  for (const [key, value] of Object.entries(schema)) yield* nodesOf(value, `${path}/${key}`)
}

/** Property schemas by path: the values under `properties`. */
function* fieldsOf(schema: unknown): Generator<[string, Node]> {
  for (const [path, node] of nodesOf(schema)) {
    if (/\/properties\/[^/]+$/.test(path)) yield [path, node]
  }
}

/**
 * Tokens of the whole list, counted as characters of its compact JSON divided by 3.5. Tokenizers of
 * today's models need fewer for JSON schemas in English (near 4 characters a token), so this errs high.
 */
const tokens = Math.ceil(JSON.stringify({ tools }).length / 3.5)

test('the whole list stays below 12,000 tokens', () => {
  expect(tokens).toBeLessThan(12_000)
})

test('names are unique and known to every client: lower case, digits, underscores', () => {
  expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
  for (const { name } of tools) expect(name).toMatch(/^[a-z][a-z0-9_]{2,47}$/)
})

describe.each(tools)('$name', ({ name, title, description, inputSchema, outputSchema, annotations }) => {
  test('has a title, and a description of useful length', () => {
    expect(title.length).toBeGreaterThan(2)
    expect(description.length).toBeGreaterThan(20)
    expect(description.length).toBeLessThan(1500)
  })

  test('its input is one flat strict object', () => {
    expect(inputSchema.type).toBe('object')
    for (const keyword of ['anyOf', 'oneOf', 'allOf', 'not', '$schema'])
      expect(inputSchema).not.toHaveProperty(keyword)
    for (const [path, node] of nodesOf(inputSchema)) {
      const isObjectSchema = node['type'] === 'object' && 'properties' in node
      if (isObjectSchema) expect([path, node['additionalProperties']]).toEqual([path, false])
    }
  })

  test('its schemas have nothing that clients refuse', () => {
    for (const schema of [inputSchema, outputSchema ?? {}]) {
      const text = JSON.stringify(schema)
      for (const keyword of ['"$ref"', '"$defs"', '"prefixItems"', '"null"', '"nullable"']) {
        expect(text).not.toContain(keyword)
      }
      for (const bound of [Number.MAX_SAFE_INTEGER, 2 ** 31 - 1]) expect(text).not.toContain(String(bound))
      for (const [path, node] of nodesOf(schema)) {
        expect([path, Array.isArray(node['type'])]).toEqual([path, false])
        if (node['type'] === 'array') expect([path, Array.isArray(node['items'])]).toEqual([path, false])
      }
    }
  })

  test('every field has a type, and ids are never numbers', () => {
    for (const [path, field] of fieldsOf(inputSchema)) {
      expect([path, typeof field['type']]).toEqual([path, 'string'])
      if (path.endsWith('_id') && !path.endsWith('layout_id'))
        expect([path, field['type']]).toEqual([path, 'string'])
    }
  })

  test('its output is loose', () => {
    for (const [path, node] of nodesOf(outputSchema ?? {})) {
      expect([path, node]).not.toEqual([path, expect.objectContaining({ additionalProperties: false })])
    }
  })

  test('its annotations say all five things and agree with each other', () => {
    const { title: shown, ...hints } = annotations
    expect(shown, 'older clients look for it here').toBe(title)
    expect(Object.values(hints).map((value) => typeof value)).toEqual(Array(4).fill('boolean'))
    if (annotations.readOnlyHint)
      expect(annotations).toMatchObject({ destructiveHint: false, idempotentHint: true })
    const reads = ['list_tasks', 'service_status'].includes(name)
    expect(annotations.readOnlyHint).toBe(reads)
    expect(annotations.destructiveHint).toBe(name === 'cancel_task')
    // Each call of an operation makes and pays a task.
    const repeats = !operations.some(({ operation }) => operation.name === name)
    expect(annotations.idempotentHint).toBe(repeats)
  })
})

describe.each(operations.map(({ operation }) => operation))('operation $name', (operation) => {
  const published = tools.find(({ name }) => name === operation.name)

  test('is a tool with the two fields of long work, none of which hides one of its own', () => {
    const own = Object.keys(operation.input.shape)
    expect(own).not.toContain('wait_seconds')
    expect(own).not.toContain('save_to')
    expect(Object.keys(published?.inputSchema['properties'] ?? {})).toEqual([
      ...own,
      'wait_seconds',
      'save_to',
    ])
    expect(published?.outputSchema).toBeDefined()
  })

  test('states price, units and defaults', () => {
    expect(published?.description).toMatch(/Price: \d+ credits? per /)
    for (const [path, field] of fieldsOf(published?.inputSchema)) {
      const described = typeof field['description'] === 'string' || /\/(x|y|w|h|width|height)$/.test(path)
      expect([path, described]).toEqual([path, true])
    }
  })
})
