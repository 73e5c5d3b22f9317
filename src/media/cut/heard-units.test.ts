import { expect, it } from 'vitest'
import type { TimedWord } from '../speech/speech-types.ts'
import { heardUnits } from './heard-units.ts'
import { findRetakes } from './repeats.ts'

/** Different words of seven letters whose times are those of `at`, seconds. */
function words(count: number, at: (index: number) => number): TimedWord[] {
  return Array.from({ length: count }, (_, index) => ({
    text: String(1_000_000 + index).replaceAll(/\d/g, (digit) => 'bcdfghjklm'.charAt(Number(digit))),
    start: at(index),
    end: at(index),
  }))
}

it('joins characters without spaces, and words with spaces', () => {
  const heard = ['我', '', '们', 'two', '3', '千', '米'].map((text) => ({ text, start: 0, end: 0 }))
  expect(heardUnits(heard).words).toHaveLength(heardUnits(heard).units.length)
  expect(heardUnits(heard.slice(0, 1)).units.map(({ text }) => text)).toEqual(['我'])
})

// Far below the time of work that grows with the square of the words: more than a minute.
it('reads the longest transcript in seconds', { timeout: 30_000 }, () => {
  expect(heardUnits(words(200_000, (index) => index / 3)).words).toHaveLength(200_000)
})

it('compares two utterances with all their words at one time in seconds', { timeout: 30_000 }, () => {
  expect(findRetakes(words(60_000, (index) => (index < 30_000 ? 1 : 5)))).toEqual([])
})
