import { expect, it } from 'vitest'
import { rejectNonPiano, noteSteadiness } from './reject-non-piano.ts'

const note = (start: number, lasts: number, pitch = 60) => ({
  ...{ pitch, start, end: start + lasts, soundEnd: start + lasts, velocity: 60, probability: 0.9 },
})

it('rejects an empty transcription', () => {
  expect(rejectNonPiano([])).toContain('no note')
})

it('accepts one long note and rejects many short ones', () => {
  expect(rejectNonPiano([note(0, 2)])).toBeNull()
  expect(rejectNonPiano([note(0, 0.06)])).toContain('its only sound is short')
  expect(rejectNonPiano(Array.from({ length: 20 }, (_, at) => note(at / 10, 0.06)))).toContain('20 sounds')
})

it('gliding notes are less steady than leaping ones', () => {
  const [glide, leap] = [1, 5].map((step) =>
    Array.from({ length: 12 }, (_, at) => note(at * 0.15, 0.15, 50 + at * step)),
  )
  expect(noteSteadiness(glide ?? [])).toBeLessThan(noteSteadiness(leap ?? []) - 0.3)
  expect(rejectNonPiano(glide ?? [])).not.toBeNull()
  expect(rejectNonPiano(leap ?? [])).toBeNull()
})
