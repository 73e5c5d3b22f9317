import { expect, test } from 'vitest'
import { MediaError } from '../../src/contract/errors.ts'
import type { RequestFile } from '../../src/contract/operation.ts'
import { audioTtsZeroShot } from './contract.ts'
import { plan } from './plan.ts'

const sound = { codec: 'pcm_s16le', channels: 1, sample_rate: 16_000, start_ms: 0, duration_ms: 6000 }
const voice: RequestFile = {
  ...{ file_id: '1', name: 'voice.wav', size: 192_044, kind: 'audio' },
  facts: {
    ...{ container: 'wav', duration_ms: 6000, size: 192_044, bit_rate: 256_000 },
    ...{ video: null, audio: [sound], subtitles: [] },
  },
}

/** Result of the plan for a recording with this duration. */
function planResult(facts: { duration_ms: number; start_ms?: number; cut_off_ms?: number }): string {
  const { cut_off_ms, ...lasting } = facts
  const file: RequestFile = {
    ...voice,
    facts: voice.facts && {
      ...voice.facts,
      audio: [{ ...sound, ...lasting }],
      ...(cut_off_ms && { cut_off_ms }),
    },
  }
  const input = audioTtsZeroShot.input.parse({ text: 'Hello.', ref_file_id: '1' })
  try {
    plan(input, { get: () => file })
    return 'fits'
  } catch (error) {
    return error instanceof MediaError ? `${error.code} ${error.message}` : 'fails'
  }
}

// 3 s to 30 min; the reported duration must not look valid.
test.each([
  [{ duration_ms: 2970 }, '6016 ref_file_id: voice.wav lasts 2.97 s, not 3 s to 30 min'],
  [{ duration_ms: 2999 }, '6016 ref_file_id: voice.wav lasts 2.999 s, not 3 s to 30 min'],
  [{ duration_ms: 3000 }, 'fits'],
  [{ duration_ms: 1_800_000 }, 'fits'],
  [{ duration_ms: 1_801_000 }, '6016 ref_file_id: voice.wav lasts 30 min 1 s, not 3 s to 30 min'],
  [{ duration_ms: 10_000, cut_off_ms: 2000 }, '6016 ref_file_id: voice.wav lasts 2 s, not 3 s to 30 min'],
  [
    { duration_ms: 9000, start_ms: 1000, cut_off_ms: 3500 },
    '6016 ref_file_id: voice.wav lasts 2.5 s, not 3 s to 30 min',
  ],
  [{ duration_ms: 10_000, cut_off_ms: 4000 }, 'fits'],
])('a recording of %j: %s', (facts, answer) => {
  expect(planResult(facts)).toBe(answer)
})

const creditsOf = (text: string) => {
  const input = audioTtsZeroShot.input.parse({ text, ref_file_id: '1' })
  return plan(input, { get: () => voice }).credits
}

// Document 3, 4.4: 6 credits for 1000 characters, rounded up to whole ones, at least 1.
test.each([
  [1, 1],
  [166, 1],
  [167, 2],
  [1000, 6],
  [1001, 7],
  [5000, 30],
])('%i characters cost %i credits', (letters, credits) => {
  // A code point of one, two and four bytes is one character each.
  for (const letter of ['a', 'é', '𠮷']) expect(creditsOf(letter.repeat(letters))).toBe(credits)
})
