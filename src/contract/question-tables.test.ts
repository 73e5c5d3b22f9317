import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { jsonSchemaOf } from './json-schema.ts'
import { fromTables, toTables, toTableSchema } from './question-tables.ts'

const schema = jsonSchemaOf(
  z.object({
    summary: z.string(),
    lines: z.array(z.object({ id: z.int().describe('The id'), text: z.string() })),
    tags: z.array(z.string()),
  }),
  'input',
)

test('a list of equal flat objects becomes a table; other values stay', () => {
  const input = {
    lines: [
      { id: 1, text: 'a' },
      { id: 2, text: 'b' },
    ],
    ...{
      before: ['x'],
      uneven: [{ id: 1 }, { name: 'b' }],
      deep: [{ id: 1, at: { x: 1 } }],
      none: [],
      about: 'y',
    },
  }
  expect(toTables(input)).toEqual({
    ...input,
    lines: {
      columns: ['id', 'text'],
      rows: [
        [1, 'a'],
        [2, 'b'],
      ],
    },
  })
})

test('the schema of a list of objects describes rows', () => {
  const { properties } = toTableSchema(schema)
  expect(properties).toMatchObject({
    summary: { type: 'string' },
    lines: {
      type: 'array',
      items: {
        type: 'array',
        prefixItems: [
          { title: 'id', description: 'The id' },
          { title: 'text', type: 'string' },
        ],
      },
    },
    tags: { items: { type: 'string' } },
  })
})

test('rows become objects, with or without a table around them; objects and wrong rows stay', () => {
  const objects = { lines: [{ id: 1, text: 'a' }], tags: ['t'] }
  expect(fromTables(schema, objects)).toEqual(objects)
  expect(fromTables(schema, { ...objects, lines: [[1, 'a']] })).toEqual(objects)
  expect(fromTables(schema, { ...objects, lines: { columns: ['id', 'text'], rows: [[1, 'a']] } })).toEqual(
    objects,
  )
  expect(fromTables(schema, { lines: [[1], 5, [1, 'a', 'b']] })).toEqual({ lines: [[1], 5, [1, 'a', 'b']] })
  for (const other of [null, 'text', [1]]) expect(fromTables(schema, other)).toEqual(other)
})

test('an answer given as a table is the same as one given as objects', () => {
  const line = fc.record({ id: fc.integer(), text: fc.string() })
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const rows = lines.map(({ id, text }) => [id, text])
      expect(fromTables(schema, { lines: rows })).toEqual({ lines })
    }),
  )
})
