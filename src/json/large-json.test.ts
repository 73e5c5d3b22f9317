import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseForeignJson } from './large-json.ts'
import { splitValue, ValueBuilder } from './transfer.ts'

const source = { name: 'the body', maxElements: 2 ** 21, sender: 1 }

test('a value is rebuilt from its steps', () => {
  const big = { list: Array.from({ length: 25_000 }, (_, index) => index), text: 'x'.repeat(100_000) }
  const value = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(big, [big, [big.list, {}], []]))
  fc.assert(
    fc.property(fc.array(value, { maxLength: 4 }), (given) => {
      const builder = new ValueBuilder()
      const plain: unknown = JSON.parse(JSON.stringify(given))
      for (const step of splitValue(plain)) builder.apply(structuredClone(step))
      expect(JSON.stringify(builder.value)).toBe(JSON.stringify(plain))
    }),
    { numRuns: 30 },
  )
})

test('large JSON is parsed in a thread into the same value', async () => {
  const regions = Array.from({ length: 30_000 }, (_, index) => ({
    id: `text-${index}`,
    x: index / 30_000,
    tags: ['é'],
  }))
  const text = JSON.stringify({
    version: 1,
    regions,
    source: { file_id: '1' },
    more: [[[regions.slice(0, 20)]]],
  })
  expect(text.length).toBeGreaterThan(2 ** 20)
  expect(JSON.stringify(await parseForeignJson(Buffer.from(text), source))).toBe(text)
})

test.each([
  ['deep', '['.repeat(2_000_000), /^the body is nested 2000000 levels deep/],
  ['long', `[${'[],'.repeat(3_000_000)}1]`, /values and keys; at most 2097152/],
  ['cut off', `["${'x'.repeat(2 ** 21)}`, /^the body is not valid JSON/],
])('large JSON that is %s is refused as in this thread', async (_, text, message) => {
  await expect(parseForeignJson(Buffer.from(text), source)).rejects.toMatchObject({
    code: 6016,
    message: expect.stringMatching(message) as string,
    hint: expect.any(String) as string,
  })
})

test('many short values are parsed in a thread, however few bytes they have', async () => {
  const text = `[${'{},'.repeat(300_000)}{}]`
  expect(text.length).toBeLessThan(2 ** 20)
  const bytes = Buffer.from(text)
  expect(await parseForeignJson(bytes, source)).toHaveLength(300_001)
  expect(bytes.length, 'the thread took the memory').toBe(0)
})

test('large texts of one sender wait for their turn, up to a limit and until their signal aborts', async () => {
  const text = `[${'0,'.repeat(100_000)}0]`
  const left = new AbortController()
  const parse = (sender: number, signal?: AbortSignal) =>
    parseForeignJson(Buffer.from(text), { ...source, sender, signal })
  const first = parse(1)
  const waiting = Array.from({ length: 64 }, () => parse(1, left.signal))
  await expect(parse(1)).rejects.toMatchObject({ code: 6032, retryAfter: 5 })
  const other = parse(2)
  left.abort(new Error('left'))
  for (const each of waiting) await expect(each).rejects.toThrow('left')
  expect(await first).toHaveLength(100_001)
  expect(await other).toHaveLength(100_001)
})
