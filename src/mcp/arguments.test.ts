import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { parseArguments, readArguments } from './arguments.ts'

const input = z.object({
  name: z.string(),
  list: z.array(z.object({ at: z.number(), box: z.object({ x: z.number() }).optional() })).default([]),
  either: z.union([z.object({ a: z.number() }), z.object({ b: z.number() })]).optional(),
  words: z.record(z.string(), z.string()).optional(),
})

test('JSON text is read wherever an array or object belongs, at any depth, and only there', () => {
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

test('reading what is written well changes nothing', () => {
  const value = fc.record(
    {
      name: fc.string(),
      list: fc.array(fc.record({ at: fc.double({ noNaN: true }) })),
      words: fc.dictionary(fc.string(), fc.string()),
    },
    { requiredKeys: ['name'], noNullPrototype: true },
  )
  fc.assert(
    fc.property(value, (given) => {
      expect(readArguments(input, given)).toEqual(given)
    }),
  )
})

test('a null at the top counts as absent', () => {
  expect(parseArguments(input, { name: 'x', list: null, words: null })).toEqual({ name: 'x', list: [] })
  expect(() => parseArguments(input, { name: null })).toThrow('name')
})

describe('refused', () => {
  test.each([
    [{ name: 'x', extra: 1 }, 'Unknown argument extra', 'name, list, either, words'],
    [{ name: 'x', list: [{ at: 1, to: 2 }] }, 'Unknown argument list[0].to', 'at, box'],
    [{ name: 'x', list: '[{"at":1,"box":{"x":1,"y":2}}]' }, 'Unknown argument list[0].box.y', 'x'],
    [{ name: 'x', either: { a: 1, c: 2 } }, 'Unknown argument either.c', 'a'],
    [{ name: 'x', ['__proto__x']: 1 }, 'Unknown argument __proto__x', 'name'],
    [{ name: 'x', constructor: 1 }, 'Unknown argument constructor', 'name'],
    [{ name: 5 }, 'name: ', ''],
    [{ name: 'x', list: '[not json' }, 'list: ', ''],
    [[], 'must be an object', ''],
    ['text', 'must be an object', ''],
  ])('%j', (given, message, hint) => {
    const refused = {
      code: 6016,
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    }
    expect(() => parseArguments(input, given)).toThrow(expect.objectContaining(refused))
  })
})
