import { expect, it } from 'vitest'
import { doubtOf, steadiness } from './doubt.ts'

const note = (start: number, lasts: number, pitch = 60) => ({
  ...{ pitch, start, end: start + lasts, gone: start + lasts, velocity: 60, sure: 0.9 },
})

it('nothing is no piano', () => {
  expect(doubtOf([])).toContain('no note')
})

it('one long note is one, many short ones are none', () => {
  expect(doubtOf([note(0, 2)])).toBeNull()
  expect(doubtOf([note(0, 0.06)])).toContain('its only sound is short')
  expect(doubtOf(Array.from({ length: 20 }, (_, at) => note(at / 10, 0.06)))).toContain('20 sounds')
})

it('what glides is less steady than what leaps', () => {
  const [glide, leap] = [1, 5].map((step) =>
    Array.from({ length: 12 }, (_, at) => note(at * 0.15, 0.15, 50 + at * step)),
  )
  expect(steadiness(glide ?? [])).toBeLessThan(steadiness(leap ?? []) - 0.3)
  expect(doubtOf(glide ?? [])).not.toBeNull()
  expect(doubtOf(leap ?? [])).toBeNull()
})
