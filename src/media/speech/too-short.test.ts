import { expect, test } from 'vitest'
import { findReferenceSpans } from './voice-reference.ts'

test('a duration just below the minimum is not rounded up to it', () => {
  const almost = { start: 1, end: 3.98 }
  const unmet = (heard: Parameters<typeof findReferenceSpans>[0]) => {
    const choice = findReferenceSpans(heard)
    return 'unmetRule' in choice ? choice.unmetRule : 'nothing'
  }
  expect(unmet({ speech: [almost], turns: [{ ...almost, speaker: 0 }] })).toContain('the longest is 2.9 s')
  const turns = [
    { ...almost, speaker: 0 },
    { start: 3.98, end: 6, speaker: 1 },
  ]
  expect(unmet({ speech: [{ start: 1, end: 6 }], turns })).toMatch(/one person alone: .* is 2\.9 s/)
})
