import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { jsonSchemaOf } from '../contract/json-schema.ts'
import { fieldRows } from './openapi-fields.ts'

const body = z.object({
  mode: z.enum(['a', 'b']).default('a').describe('How'),
  parts: z.array(z.object({ at: z.number().min(0).max(1), tag: z.string().max(5).optional() })).min(1),
  level: z.number().positive().nullable(),
  either: z.union([z.object({ x: z.int() }), z.object({ y: z.iso.datetime() })]),
  more: z.record(z.string(), z.object({ n: z.literal(1) })),
})

describe('the fields of a schema', () => {
  const rows = [...fieldRows(jsonSchemaOf(body, 'input'))]

  test('are in order, parents before children', () => {
    expect(rows.map(({ path, type, required }) => [path, type, required])).toEqual([
      ['mode', '"a" or "b"', false],
      ['parts', 'array of object', true],
      ['parts[].at', 'number', true],
      ['parts[].tag', 'string', false],
      ['level', 'number or null', true],
      ['either', 'object', true],
      ['either.x', 'integer', true],
      ['either.y', 'date-time', true],
      ['more', 'object', true],
      ['more.*', 'object', false],
      ['more.*.n', '1', true],
    ])
  })

  test('include bounds, defaults and meaning', () => {
    const described = Object.fromEntries(
      rows.map(({ path, description, constraints }) => [path, [description, constraints]]),
    )
    expect(described).toMatchObject({
      mode: ['How', 'default "a"'],
      parts: ['', 'at least 1 items'],
      'parts[].at': ['', '0 to 1'],
      'parts[].tag': ['', 'at most 5 characters'],
    })
  })
})
