import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { describeIssues, plainIssueMessage } from './validation.ts'

const schema = z.object({
  clips: z
    .array(z.object({ file_id: z.string().min(1) }))
    .min(2)
    .max(3),
  quality: z.enum(['720p', '1080p']),
  share: z.number().gt(0).max(1),
  count: z.int().min(1),
  even: z.number().multipleOf(2),
  mode: z.literal('auto'),
  pair: z.tuple([z.number(), z.number()]),
  code: z.string().length(2),
  open: z.boolean(),
  words: z.record(z.string(), z.string()),
  mark: z.union([z.string(), z.number()]),
  named: z.string({ error: 'a name of your own' }),
  page: z.coerce.number<string>(),
})
const good: z.input<typeof schema> = {
  clips: [{ file_id: '1' }, { file_id: '2' }],
  quality: '720p',
  share: 1,
  count: 1,
  even: 2,
  mode: 'auto',
  pair: [1, 2],
  code: 'ab',
  open: true,
  words: {},
  mark: 1,
  named: 'x',
  page: '1',
}

function issuesFor(value: unknown): string {
  const parsed = schema.safeParse(value, { error: plainIssueMessage })
  return parsed.error ? describeIssues(parsed.error, 'body') : ''
}

test.for<[Record<string, unknown>, string]>([
  [{ clips: [{ file_id: '1' }] }, 'clips: at least 2 items, 1 given'],
  [{ clips: [1, 2, 3, 4].map((id) => ({ file_id: `${id}` })) }, 'clips: at most 3 items, 4 given'],
  [
    { clips: [{ file_id: '' }, {}] },
    'clips[0].file_id: at least 1 character, 0 given; clips[1].file_id: required',
  ],
  [{ clips: 'a.mp4' }, 'clips: must be a list'],
  [{ clips: ['a.mp4', { file_id: '2' }] }, 'clips[0]: must be an object'],
  [{ quality: '4k' }, 'quality: one of 720p, 1080p; "4k" given'],
  [{ share: 0 }, 'share: more than 0, 0 given'],
  [{ share: 2 }, 'share: at most 1, 2 given'],
  [{ share: Number.NaN }, 'share: must be a number'],
  [{ count: 1.5 }, 'count: must be a whole number'],
  [{ even: 3 }, 'even: must be a multiple of 2'],
  [{ mode: 'hand' }, 'mode: must be auto; "hand" given'],
  [{ code: 'abc' }, 'code: exactly 2 characters, 3 given'],
  [{ open: 'yes' }, 'open: must be true or false'],
  [{ mark: true }, 'mark: has none of the accepted forms'],
  [{ named: 1 }, 'named: a name of your own'],
  [{ page: 'many' }, 'page: must be a number'],
])('reports the issues of %j', ([value, text]) => {
  expect(issuesFor({ ...good, ...value })).toBe(text)
})

test('for any input, no message contains the wording of the library', () => {
  expect(issuesFor(good)).toBe('')
  const fields = Object.fromEntries(Object.keys(good).map((name) => [name, fc.anything()]))
  fc.assert(
    fc.property(fc.oneof(fc.record(fields, { requiredKeys: [] }), fc.anything()), (value) => {
      expect(issuesFor(value)).not.toMatch(/received|expected|Too (small|big)|Invalid|NaN/)
    }),
  )
})

test('many issues are summarized within 5 s, each path once', () => {
  const issues = Array.from({ length: 100_000 }, (_, index): z.core.$ZodIssue[] => [
    { code: 'invalid_type', expected: 'array', path: ['list', index], message: 'must be a list' },
    { code: 'too_small', origin: 'array', minimum: 2, path: ['list', index], message: 'too few' },
  ]).flat()
  const error = new z.ZodError(issues)
  const startedAt = performance.now()
  const words = describeIssues(error, 'body')
  expect(performance.now() - startedAt).toBeLessThan(5000)
  expect(words).toMatch(/^list\[0\]: must be a list; list\[1\]: must be a list; .*; and 99995 more$/)
})
