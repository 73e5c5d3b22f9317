import { expect, test } from 'vitest'
import * as z from 'zod'
import { list } from './bounded-list.ts'

const entry = z.object({ a: z.number().max(1), b: z.string().default('x') })

test('a list is validated, converted and described like that of zod', () => {
  const [ours, theirs] = [
    list(entry).min(1).max(1000).describe('All'),
    z.array(entry).min(1).max(1000).describe('All'),
  ]
  expect(z.toJSONSchema(ours)).toEqual(z.toJSONSchema(theirs))
  for (const given of [
    [],
    [{ a: 1 }],
    [{ a: 2 }, {}, null],
    Array.from({ length: 1000 }, (_, a) => ({ a: a / 1000 })),
    Array.from({ length: 1001 }, () => null),
    'text',
    undefined,
  ]) {
    expect(z.safeParse(ours, given)).toEqual(z.safeParse(theirs, given))
  }
})

test('of a long list, the first invalid entries are reported with their index', () => {
  const given = Array.from({ length: 600 }, (_, index) => ({ a: index < 300 ? 0 : 2 }))
  const { error } = list(entry).safeParse(given)
  expect(error?.issues[0]?.path).toEqual([300, 'a'])
  expect(error?.issues.length).toBeLessThan(257)
})

test('of a hundred thousand invalid entries few are validated', () => {
  let validated = 0
  const invalid = z.custom(() => {
    validated += 1
    return false
  })
  expect(
    z.object({ entries: list(invalid) }).safeParse({ entries: Array.from({ length: 100_000 }, () => 1) })
      .success,
  ).toBe(false)
  expect(validated).toBeLessThan(257)
})
