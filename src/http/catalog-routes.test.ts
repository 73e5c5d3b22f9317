import { expect, test } from 'vitest'
import * as z from 'zod'
import { enumerationsOf } from './catalog-routes.ts'

test('enumerated fields are found at any depth, by their JSON path', () => {
  const enumerations = enumerationsOf(
    z.object({
      mode: z.enum(['a', 'b']).optional().default('a'),
      level: z.literal([1, 2]).nullable(),
      free: z.string(),
      items: z.array(z.object({ kind: z.enum(['x']), deep: z.object({ flag: z.literal(true) }) })),
      tags: z.array(z.enum(['t', 'u'])),
      either: z.union([z.object({ event: z.literal('one') }), z.object({ event: z.literal('two') })]),
      named: z.record(z.string(), z.enum(['v'])),
    }),
    'input',
  )
  expect(enumerations).toEqual({
    mode: ['a', 'b'],
    level: [1, 2],
    'items[].kind': ['x'],
    'items[].deep.flag': [true],
    'tags[]': ['t', 'u'],
    'either.event': ['one', 'two'],
    'named.*': ['v'],
  })
})

test('a schema without fields has no enumerated fields', () => {
  expect(enumerationsOf(undefined, 'input')).toEqual({})
  expect(enumerationsOf(z.literal(''), 'output')).toEqual({})
})
