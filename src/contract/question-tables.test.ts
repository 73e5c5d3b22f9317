import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { jsonSchemaOf } from './json-schema.ts'
import { findWrongRows, fromTables, toTables, toTableSchema } from './question-tables.ts'

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
        minItems: 2,
        maxItems: 2,
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

const optionalSchema = jsonSchemaOf(
  z.object({
    terms: z.array(z.object({ source: z.string(), target: z.string(), note: z.string().optional() })),
    marks: z.array(z.object({ at: z.number().optional() })),
  }),
  'input',
)

test('columns after the last required one may be absent from a row', () => {
  expect(toTableSchema(optionalSchema).properties).toMatchObject({
    terms: { items: { minItems: 2, maxItems: 3 } },
    marks: { items: { minItems: 0, maxItems: 1 } },
  })
  const terms = [
    ['a', 'b'],
    ['c', 'd', 'e'],
  ]
  expect(fromTables(optionalSchema, { terms, marks: [[]] })).toEqual({
    terms: [
      { source: 'a', target: 'b' },
      { source: 'c', target: 'd', note: 'e' },
    ],
    marks: [{}],
  })
  expect(findWrongRows(optionalSchema, { terms, marks: [[]] })).toEqual([])
})

test('the columns of a table are those that it names', () => {
  const named = (columns: unknown, rows: unknown[]) => ({ lines: { columns, rows } })
  const objects = { lines: [{ text: 'a', id: 1 }] }
  expect(fromTables(schema, named(['text', 'id'], [['a', 1]]))).toEqual(objects)
  expect(fromTables(schema, named(['text'], [['a']]))).toEqual({ lines: [{ text: 'a' }] })
  for (const columns of [['id', 'words'], ['id', 'id'], ['id', 5], 'id', 5, []]) {
    const answer = named(columns, [[1, 'a']])
    expect(fromTables(schema, answer)).toEqual(answer)
    expect(findWrongRows(schema, answer)).toEqual([])
  }
})

test('rows of another length are named with the values that they need', () => {
  const lines = [[1, 'a'], [1], { id: 1, text: 'a' }, [1, 'a', 'b'], 5]
  expect(findWrongRows(schema, { lines })).toEqual([
    'lines.1: has 1 value; give [id, text]',
    'lines.3: has 3 values; give [id, text]',
  ])
  expect(findWrongRows(schema, { lines: { columns: ['text', 'id'], rows: [['a']] } })).toEqual([
    'lines.0: has 1 value; give [text, id]',
  ])
  expect(findWrongRows(optionalSchema, { terms: [['a']] })).toEqual([
    'terms.0: has 1 value; give [source, target] or [source, target, note]',
  ])
  for (const other of [null, 'text', [1], { tags: [[1]] }]) expect(findWrongRows(schema, other)).toEqual([])
})

test('an answer given as a table is the same as one given as objects, in any order of named columns', () => {
  const line = fc.record({ id: fc.integer(), text: fc.string() })
  fc.assert(
    fc.property(
      fc.array(line),
      fc.shuffledSubarray(['id', 'text'] as const, { minLength: 2 }),
      (lines, columns) => {
        const rows = lines.map(({ id, text }) => [id, text])
        expect(fromTables(schema, { lines: rows })).toEqual({ lines })
        const named = { columns, rows: lines.map((one) => columns.map((column) => one[column])) }
        expect(fromTables(schema, { lines: named })).toEqual({ lines })
        expect(findWrongRows(schema, { lines: named })).toEqual([])
      },
    ),
  )
})
