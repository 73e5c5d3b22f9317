import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { publishInputSchema } from '../../src/mcp/tool.ts'
import { allTools } from '../../src/mcp/tool-selection.ts'
import { operations } from '../../tools/index.ts'

const all = [...allTools(operations.map(({ operation }) => operation)).values()]
const tools = all.map(({ definition, example }) => ({ ...definition, example }))
const listed = all.map(({ definition }) => definition)

type SchemaNode = Readonly<Record<string, unknown>>

/** Every schema object inside a schema, with its path. */
function* schemaNodes(schema: unknown, path = ''): Generator<[string, SchemaNode]> {
  if (typeof schema !== 'object' || schema === null) return
  if (!Array.isArray(schema)) yield [path, schema as SchemaNode]
  for (const [key, value] of Object.entries(schema)) yield* schemaNodes(value, `${path}/${key}`)
}

/** Property schemas by path: the values under `properties`. */
function* fieldsOf(schema: unknown): Generator<[string, SchemaNode]> {
  for (const [path, node] of schemaNodes(schema)) {
    if (/\/properties\/[^/]+$/.test(path)) yield [path, node]
  }
}

/**
 * Tokens of the whole list, counted as characters of its compact JSON divided by 3.5. Tokenizers of
 * today's models need fewer for JSON schemas in English (about 4 characters a token), so this is an upper estimate.
 */
const estimateTokens = Math.ceil(JSON.stringify({ tools: listed }).length / 3.5)

test('the whole list of 19 operations stays below 11,864 tokens', () => {
  expect(estimateTokens).toBeLessThan(11_864)
})

test.each([
  ['html_render_simple', '"volume"'],
  ['video_purify', '"source_file_id"'],
  ['video_split_screen', '"duration_mode"'],
  ['video_timeline_render', '"struct_meta"'],
  ['video_timeline_render', '"force_new"'],
])('the list omits fields of %s that few calls need; the full schema has them', (name, field) => {
  const tool = all.find(({ definition }) => definition.name === name)
  expect(JSON.stringify(tool?.definition.inputSchema)).not.toContain(field)
  expect(JSON.stringify(tool?.fullInputSchema())).toContain(field)
})

test('the list keeps every default and choice of the full schema', () => {
  for (const tool of all) {
    const full = new Map(fieldsOf(tool.fullInputSchema()))
    for (const [path, field] of fieldsOf(tool.definition.inputSchema)) {
      const complete = full.get(path)
      expect([path, field['enum']]).toEqual([path, complete?.['enum']])
      // The defaults of an object may be those of its fields.
      if (!('properties' in field)) expect([path, field['default']]).toEqual([path, complete?.['default']])
    }
  }
})

test('names are unique and valid for every client: lower case, digits, underscores', () => {
  expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
  for (const { name } of tools) expect(name).toMatch(/^[a-z][a-z0-9_]{2,47}$/)
})

/** Maximum nesting of objects that every model API supports. */
const maxDepth = 5

/** Paths and reasons of schema parts that some client or model API rejects. */
function* findHazards(schema: unknown): Generator<string> {
  const unsupportedKeywords = [
    '$ref',
    '$defs',
    'definitions',
    'prefixItems',
    'nullable',
    'format',
    'patternProperties',
  ]
  for (const [path, node] of schemaNodes(schema)) {
    const { type, items, minimum, maximum } = node
    if (path.split('/properties/').length - 1 > maxDepth) yield `${path} is nested too deeply`
    if (type === 'null' || Array.isArray(type)) yield `${path} may be null or of several types`
    if (Array.isArray(items)) yield `${path} is a tuple`
    if (minimum === Number.MIN_SAFE_INTEGER || Number(maximum) >= 2 ** 31 - 1)
      yield `${path} has bounds without meaning`
    // Under `properties`, these are names of fields.
    if (path.endsWith('/properties')) {
      for (const name of Object.keys(node))
        if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name)) yield `${path} has ${name}`
    } else {
      for (const keyword of unsupportedKeywords) if (keyword in node) yield `${path} has ${keyword}`
    }
  }
}

describe('schema hazards', () => {
  const shared = z.object({ x: z.number() }).meta({ id: 'shared' })
  let deep: z.ZodType = z.string()
  for (let level = 0; level <= maxDepth; level += 1) deep = z.object({ inner: deep })

  test.each<[string, z.ZodType]>([
    ['too deeply', deep],
    ['null', z.string().nullable()],
    ['tuple|prefixItems', z.tuple([z.number(), z.number()])],
    ['$ref', shared],
    ['format', z.email()],
    ['has two words', z.object({ 'two words': z.string() })],
  ])('finds %s', (expected, field) => {
    const found = [...findHazards(publishInputSchema(z.object({ field })))].join('; ')
    expect(found).toMatch(new RegExp(expected.replace('$', String.raw`\$`)))
  })

  test.each([z.date(), z.map(z.string(), z.string()), z.bigint(), z.set(z.string()), z.symbol()])(
    'a type that JSON cannot represent is rejected when the tool is declared: $def.type',
    (field) => expect(() => publishInputSchema(z.object({ field }))).toThrow(/cannot be represented/),
  )

  test('whole numbers have no machine-dependent bounds', () => {
    const publishedSchema = publishInputSchema(z.object({ field: z.int(), time: z.int().max(2 ** 31 - 1) }))
    expect([...findHazards(publishedSchema)]).toEqual([])
  })
})

describe.each(tools)(
  '$name',
  ({ name, title, description, inputSchema, outputSchema, annotations, example }) => {
    test('has a title, and a description that no model API truncates', () => {
      expect(title.length).toBeGreaterThan(2)
      expect(description.length).toBeGreaterThan(20)
      expect(description.length).toBeLessThanOrEqual(1024)
    })

    test('its example matches the input schema', () => {
      expect(new Ajv({ strict: false }).compile(inputSchema)(example)).toBe(true)
    })

    test('its input is one flat strict object', () => {
      expect(inputSchema.type).toBe('object')
      for (const keyword of ['anyOf', 'oneOf', 'allOf', 'not', '$schema'])
        expect(inputSchema).not.toHaveProperty(keyword)
      for (const [path, node] of schemaNodes(inputSchema)) {
        const isObjectSchema = node['type'] === 'object' && 'properties' in node
        if (isObjectSchema) expect([path, node['additionalProperties']]).toEqual([path, false])
      }
    })

    test('its schemas contain nothing that clients reject', () => {
      for (const schema of [inputSchema, outputSchema ?? {}]) expect([...findHazards(schema)]).toEqual([])
    })

    test('every field has a type, and ids are never numbers', () => {
      for (const [path, field] of fieldsOf(inputSchema)) {
        expect([path, typeof field['type']]).toEqual([path, 'string'])
        // The contract numbers materials.
        if (path.endsWith('_id') && !/(?:layout|material)_id$/.test(path)) {
          // A map of files contains them by name.
          const id = field['type'] === 'object' ? (field['additionalProperties'] as SchemaNode) : field
          expect([path, id['type']]).toEqual([path, 'string'])
        }
      }
    })

    test('its output schema allows additional properties', () => {
      for (const [path, node] of schemaNodes(outputSchema ?? {})) {
        expect([path, node]).not.toEqual([path, expect.objectContaining({ additionalProperties: false })])
      }
    })

    test('its annotations have all four hints and are consistent', () => {
      expect(Object.values(annotations).map((value) => typeof value)).toEqual(Array(4).fill('boolean'))
      if (annotations.readOnlyHint)
        expect(annotations).toMatchObject({ destructiveHint: false, idempotentHint: true })
      const isReadOnly = ['list_tasks', 'service_status'].includes(name)
      expect(annotations.readOnlyHint).toBe(isReadOnly)
      expect(annotations.destructiveHint).toBe(name === 'cancel_task')
      // Each call of an operation creates and charges a task.
      const repeats = !operations.some(({ operation }) => operation.name === name)
      expect(annotations.idempotentHint).toBe(repeats)
    })
  },
)

/** Fields whose name, values and bounds say all: the list omits their descriptions, the resource has them. */
const obviousNames = [
  ...['x', 'y', 'w', 'h', 'width', 'height', 'wait_seconds', 'fps', 'quality', 'output_ratio'],
  ...['keep_pitch', 'blur', 'artist', 'text', 'text_lang', 'language', 'translate_language', 'source'],
  ...['composition', 'render', 'assets'],
]

describe.each(operations.map(({ operation }) => operation))('operation $name', (operation) => {
  const publishedSchema = tools.find(({ name }) => name === operation.name)

  test('is a tool with the fields of tasks, none of which collides with an input field', () => {
    const inputFields = Object.keys(operation.input.shape)
    const taskFields = ['wait_seconds', 'save_to']
    for (const field of [...taskFields, 'force_new']) expect(inputFields).not.toContain(field)
    const published = Object.keys(publishedSchema?.inputSchema['properties'] ?? {})
    const unlisted = ['source_file_id', 'duration_mode', 'version', 'beat_track', 'struct_meta', 'normalized']
    expect(published).toEqual(expect.arrayContaining(inputFields.filter((name) => !unlisted.includes(name))))
    expect(published.slice(-taskFields.length)).toEqual(taskFields)
    const own = operation.agentForm?.own ?? []
    expect(published.filter((name) => !inputFields.includes(name) && !own.includes(name))).toEqual(taskFields)
    expect(publishedSchema?.outputSchema).toBeDefined()
  })

  test('states price, units and defaults', () => {
    expect(publishedSchema?.description).toMatch(/Price: [\d.]+ credits? per /)
    for (const [path, field] of fieldsOf(publishedSchema?.inputSchema)) {
      const name = path.slice(path.lastIndexOf('/') + 1)
      const isDescribed = typeof field['description'] === 'string' || obviousNames.includes(name)
      expect([path, isDescribed]).toEqual([path, true])
    }
  })
})
