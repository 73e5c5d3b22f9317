import { expect, test } from 'vitest'
import type { GivenFile } from '../../src/contract/operation.ts'
import { audioTtsZeroShot } from './contract.ts'
import { plan } from './plan.ts'

const sound = { codec: 'pcm_s16le', channels: 1, sample_rate: 16_000, start_ms: 0, duration_ms: 6000 }
const voice: GivenFile = {
  ...{ file_id: '1', name: 'voice.wav', size: 192_044, kind: 'audio' },
  facts: {
    ...{ container: 'wav', duration_ms: 6000, size: 192_044, bit_rate: 256_000 },
    ...{ video: null, audio: [sound], subtitles: [] },
  },
}

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
