import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { parseArguments as parse } from './arguments.ts'
import { normalizeArguments } from './normalize-arguments.ts'

const input = z.object({
  name: z.string(),
  list: z.array(z.object({ at: z.number(), box: z.object({ x: z.number() }).optional() })).default([]),
  either: z.union([z.object({ a: z.number() }), z.object({ b: z.number() })]).optional(),
  words: z.record(z.string(), z.string()).optional(),
  sizes: z.record(z.string(), z.int()).optional(),
  mark: z.union([z.string(), z.number()]).optional(),
  limit: z.object({ most: z.number().nullable() }).optional(),
})

const parseArguments = (schema: typeof input, given: unknown) => parse(schema, given).args

test('JSON text is parsed where an array or object is expected, at any depth, and nowhere else', () => {
  const plain = { name: '[1]', list: [{ at: 1, box: { x: 2 } }], words: { any: 'name' } }
  const box = JSON.stringify(plain.list[0]?.box)
  const forms = [
    plain,
    { ...plain, list: JSON.stringify(plain.list) },
    { ...plain, list: [JSON.stringify(plain.list[0])] },
    { ...plain, list: [{ at: 1, box }] },
    { ...plain, list: JSON.stringify([{ at: 1, box }]), words: '{"any":"name"}' },
  ]
  for (const form of forms) expect(parseArguments(input, form)).toEqual(plain)
})

test('valid arguments are returned unchanged', () => {
  const value = fc.record(
    {
      name: fc.string(),
      list: fc.array(fc.record({ at: fc.double({ noNaN: true }) })),
      words: fc.dictionary(fc.string(), fc.string()),
    },
    { requiredKeys: ['name'], noNullPrototype: true },
  )
  fc.assert(
    fc.property(value, (args) => {
      expect(normalizeArguments(input, args)).toEqual({ args, assumed: [] })
    }),
  )
})

test('null is treated as absent at any depth, unless the schema accepts null', () => {
  expect(parseArguments(input, { name: 'x', list: null, words: null })).toEqual({ name: 'x', list: [] })
  const nested = { name: 'x', list: [{ at: 1, box: null }], limit: { most: null } }
  expect(parseArguments(input, nested)).toEqual({ name: 'x', list: [{ at: 1 }], limit: { most: null } })
  const missing = { code: 6013, message: 'Required: name' }
  expect(() => parseArguments(input, { name: null })).toThrow(expect.objectContaining(missing))
})

test('a plain numeral is parsed where a number is expected, and nowhere else', () => {
  const args = {
    name: '300',
    list: [{ at: '0.01', box: '{"x":"-2"}' }],
    either: { b: '7' },
    words: { a: '1' },
    sizes: { a: '1' },
    mark: '5',
    limit: { most: '12' },
  }
  expect(parseArguments(input, args)).toEqual({
    name: '300',
    list: [{ at: 0.01, box: { x: -2 } }],
    either: { b: 7 },
    words: { a: '1' },
    sizes: { a: 1 },
    mark: '5',
    limit: { most: 12 },
  })
})

test.each(['', ' 1', '1e3', '0x10', '1.', '.5', '+1', 'Infinity', '1,5', '9'.repeat(400)])(
  '%j is not a plain numeral',
  (at) => {
    expect(() => parseArguments(input, { name: 'x', list: [{ at }] })).toThrow('list[0].at')
  },
)

describe('rejected arguments', () => {
  test.each([
    [{ name: 'x', extra: 1 }, 'Unknown argument extra', 'name, list, either, words, sizes'],
    [{ name: 'x', list: [{ at: 1, to: 2 }] }, 'Unknown argument list[0].to', 'at, box'],
    [{ name: 'x', list: '[{"at":1,"box":{"x":1,"y":2}}]' }, 'Unknown argument list[0].box.y', 'x'],
    [{ name: 'x', either: { a: 1, c: 2 } }, 'Unknown argument either.c', 'a'],
    [{ name: 'x', ['__proto__x']: 1 }, 'Unknown argument __proto__x', 'name'],
    [{ name: 'x', constructor: 1 }, 'Unknown argument constructor', 'name'],
    [{ name: 5 }, 'name: ', ''],
    [{ name: 'x', list: '[not json' }, 'list: ', 'Pass list as [{"at": …}, …].'],
    [{ name: 'x', list: ['a'] }, 'list[0]: ', 'Pass list[0] as {"at": …}.'],
    [{ name: 'x', list: [{ at: 1, box: 'a' }] }, 'list[0].box: ', 'Pass list[0].box as {"x": …}.'],
    [[], 'must be an object', 'Pass the arguments as a JSON object.'],
    ['text', 'must be an object', 'Pass the arguments as a JSON object.'],
  ])('%j', (args, message, hint) => {
    const error = {
      code: 6016,
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    }
    expect(() => parseArguments(input, args)).toThrow(expect.objectContaining(error))
  })
})
