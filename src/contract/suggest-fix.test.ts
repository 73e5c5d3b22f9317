import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { correctionHint, missingFieldsHint, nearestName } from './suggest-fix.ts'
import { plainIssueMessage } from './validation.ts'

const schema = z.object({
  fps: z.int().min(30).max(60).default(30).describe('Frames a second'),
  rate: z.int().min(1).max(120).optional(),
  size: z.array(z.int().min(16).max(4096).multipleOf(2)).length(2).optional().describe('Width and height'),
  volume: z.number().min(0).max(100).optional(),
  length: z.number().gt(0).optional().describe('Seconds'),
  share: z.number().gt(0).max(1).optional(),
  start: z.number().min(0).optional(),
  gain: z.number().max(6).optional(),
  template: z.enum(['aurora', 'ring', 'vinyl']).optional(),
  version: z.enum(['v1']).optional(),
  colour: z
    .string()
    .regex(/^#\d{6}$/)
    .optional()
    .describe('Of the lines, #RRGGBB'),
  name: z.string().max(3).optional(),
  clips: z
    .array(z.object({ duration: z.number().describe('end - start, s'), id: z.string() }))
    .max(2)
    .optional()
    .describe('What is joined'),
  files: z
    .record(z.string().max(9), z.object({ id: z.string() }))
    .optional()
    .describe('By their names'),
  even: z
    .int()
    .refine((value) => value % 2 === 0, { params: { fix: 'Use even numbers.' } })
    .optional(),
})

function hintFor(value: unknown): string | undefined {
  const parsed = schema.safeParse(value, { error: plainIssueMessage })
  return parsed.error && correctionHint(schema, parsed.error, value)
}

test.for<[Record<string, unknown>, string | undefined]>([
  [{ fps: 29 }, 'Use 30 to 60.'],
  [{ fps: 'fast' }, 'Use a number, 30 to 60.'],
  [{ rate: 29.97 }, 'Use 30.'],
  [{ rate: 23.4 }, 'Use 23.'],
  [{ rate: 120.4 }, 'Use 1 to 120.'],
  [{ size: [641, 360] }, 'Use 640 or 642.'],
  [{ size: [640, 4097] }, 'Use 16 to 4096.'],
  [{ size: [640] }, 'Set size: Width and height.'],
  [{ volume: -10 }, 'Use 0 to 100.'],
  [{ length: 0 }, 'Use more than 0.'],
  [{ share: 2 }, 'Use more than 0, at most 1.'],
  [{ start: -1 }, 'Use 0 or more.'],
  [{ gain: 7 }, 'Use 6 or less.'],
  [{ template: 'rings' }, 'Use ring, or another of these.'],
  [{ template: 'neon' }, 'Use one of these.'],
  [{ version: 'v2' }, 'Use v1.'],
  [{ colour: 'red' }, 'Set colour: Of the lines, #RRGGBB.'],
  [{ name: 'long' }, 'Use at most 3 characters.'],
  [{ clips: ['a', 'b', 'c'].map((id) => ({ id, duration: 1 })) }, 'Use at most 2.'],
  [{ size: [640, 360, 2] }, 'Set size: Width and height.'],
  [{ files: { 'a name that is too long': { id: '1' } } }, undefined],
  [{ clips: [{ id: 'a' }] }, 'Set clips[0].duration: end - start, s.'],
  [{ clips: ['a'] }, 'Pass clips[0] as {"duration": …, "id": …}.'],
  [{ clips: 'a' }, 'Pass clips as [{"duration": …, "id": …}, …].'],
  [{ files: { title: {} } }, 'Set files.title.id: By their names.'],
  [{ even: 3 }, 'Use even numbers.'],
  [{ even: 3, fps: 1 }, 'Use 30 to 60.'],
])('the fix for %j', ([value, text]) => {
  expect(hintFor(value)).toBe(text)
})

test('missing fields are listed with their descriptions', () => {
  expect(missingFieldsHint(schema, ['colour'])).toBe('Add colour (Of the lines, #RRGGBB).')
  expect(missingFieldsHint(schema, ['rate', 'fps', 'size', 'name'])).toBe(
    'Add rate, fps (Frames a second), size (Width and height), ….',
  )
})

test('for any input, a fix is a sentence', () => {
  const fields = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, fc.anything()]))
  fc.assert(
    fc.property(fc.record(fields, { requiredKeys: [] }), (value) => {
      expect(hintFor(value) ?? 'Nothing.').toMatch(/^[A-Z][^]*\.$/)
    }),
  )
})

const names = ['a.mp4', 'Beach Walk.mp4', 'interview-final.mov', 'take 1.mp4', 'take 2.mp4', 'café.mp3']

test.for<[string, string | undefined]>([
  ['A.MP4', 'a.mp4'],
  ['a.mov', 'a.mp4'],
  ['a', 'a.mp4'],
  ['beach_walk.mp4', 'Beach Walk.mp4'],
  ['beach walks.mp4', 'Beach Walk.mp4'],
  ['interveiw-final.mov', 'interview-final.mov'],
  ['take 3.mp4', 'take 1.mp4'],
  ['cafe\u0301.mp3', 'café.mp3'],
  ['b.mp4', undefined],
  ['v1', undefined],
  ['interview.mov', undefined],
  ['', undefined],
  ['x'.repeat(5000), undefined],
])('nearestName finds the name meant by %j', ([input, expected]) => {
  expect(nearestName(input, names)).toBe(expected)
})

test('a name with one extra letter is found among any others', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength: 6, maxLength: 20 })
  fc.assert(
    fc.property(word, fc.array(word), fc.nat(), (name, others, seed) => {
      const at = seed % name.length
      const misspelt = `${name.slice(0, at)}x${name.slice(at)}`
      const nearest = nearestName(misspelt, [...others, name])
      expect([...others, name]).toContain(nearest)
    }),
  )
})

test('many names are searched within 5 s', () => {
  const many = Array.from({ length: 1000 }, (_, index) => `${'ab'.repeat(45)}${index}`)
  const startedAt = performance.now()
  nearestName('ba'.repeat(47), many)
  expect(performance.now() - startedAt).toBeLessThan(5000)
})
