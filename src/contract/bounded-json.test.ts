import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  checkJsonValue,
  jsonElementLimit,
  maxJsonDepth,
  maxJsonKeys,
  measureJson,
  parseJson,
  parseJsonBytes,
} from './bounded-json.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

it.each(['null', '0', '"a"', '[1, {"a": null}]', '"\\u00e9\\"[[["'])('%s is JSON', (text) => {
  expect(parseJson(text)).toEqual(JSON.parse(text))
  expect(parseJsonBytes(bytes(text), 'the body')).toEqual(JSON.parse(text))
})

it.each(['', '{', 'undefined', "{'a': 1}", '\u0000', '[1,]', '"'])('%j is not JSON', (text) => {
  expect(parseJson(text)).toBeUndefined()
  expect(() => parseJsonBytes(bytes(text), 'the body')).toThrow(/^the body is not valid JSON: /)
})

it.each([
  '{"__proto__":{}}',
  '[{"a":{"constructor":{"prototype":1}}}]',
  String.raw`{"\u005f_proto_\u005f":1}`,
])('%s could replace a prototype', (text) => {
  expect(() => parseJsonBytes(bytes(text), 'the body')).toThrow(/prototype/)
})

test('the measure bounds depth, keys, and half the values and keys of any JSON', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      const [depth, elements, keys] = count(JSON.parse(text))
      const measured = measureJson(bytes(text))
      expect(measured.depth).toBe(depth)
      expect(2 * measured.elements + 1).toBeGreaterThanOrEqual(elements)
      // Repeated keys are lost by parsing.
      expect(measured.keys).toBeGreaterThanOrEqual(keys)
    }),
  )
})

/** Depth, values and keys, and most keys of one object. */
function count(value: unknown): [depth: number, elements: number, keys: number] {
  if (typeof value !== 'object' || value === null) return [0, 1, 0]
  const inner = Object.values(value).map(count)
  const own = Array.isArray(value) ? 0 : inner.length
  return [
    1 + Math.max(0, ...inner.map(([depth]) => depth)),
    1 + own + inner.reduce((sum, [, elements]) => sum + elements, 0),
    Math.max(own, 0, ...inner.map(([, , keys]) => keys)),
  ]
}

describe('JSON beyond a limit is refused with what was found', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  const keyed = (keys: number) => `{${Array.from({ length: keys }, (_, key) => `"k${key}":0`).join()}}`
  const listed = (items: number) => `[${'0,'.repeat(items - 1)}0]`

  it.each<[string, string, number, RegExp | null]>([
    ['as deep as allowed', nested(maxJsonDepth), 100, null],
    ['too deep', nested(maxJsonDepth + 1), 100, /is nested 65 levels deep; at most 64/],
    ['much too deep', nested(20_000), 100_000, /is nested 20000 levels deep; at most 64/],
    ['deep and cut off', '[{"a":'.repeat(50), 1000, /is nested 100 levels deep/],
    ['with brackets in a string', JSON.stringify('['.repeat(1000) + '\\"['), 1, null],
    ['as long as allowed', listed(100), 100, null],
    ['too long', listed(102), 100, /has 102 values and keys; at most 100/],
    ['with as many keys as allowed', keyed(maxJsonKeys), 100_000, null],
    ['with too many keys', keyed(maxJsonKeys + 1), 100_000, /an object with 10001 keys; at most 10000/],
  ])('%s', (_, text, maxElements, message) => {
    const parse = () => parseJsonBytes(bytes(text), 'the body', { maxElements })
    if (message === null) expect(parse).not.toThrow()
    else expect(parse).toThrow(message)
  })

  it.each<[string, () => unknown, RegExp | null]>([
    ['nothing', () => undefined, null],
    ['values', () => ({ a: [1, { b: null }] }), null],
    ['depth', () => JSON.parse(nested(20_000)), /arguments is nested 20000 levels deep/],
    ['length', () => Array.from({ length: 3_000_000 }, () => 0), /has 3000000 values/],
    ['keys', () => JSON.parse(keyed(10_001)), /10001 keys/],
  ])('of a parsed value: %s', (_, value, message) => {
    const given = value()
    if (message === null) expect(() => checkJsonValue(given, 'arguments')).not.toThrow()
    else expect(() => checkJsonValue(given, 'arguments')).toThrow(message)
  })
})

test('two lists of 50,000 complete regions fit in 32 MiB', () => {
  const region = '{"id":"text-12345","source":"detected","x":0.123,"y":0.1,"w":0.2,"h":0.1,"start":1,"end":2}'
  const { elements } = measureJson(bytes(region))
  expect(100_000 * (elements + 1) + 20).toBeLessThan(jsonElementLimit(32 * 2 ** 20))
})
