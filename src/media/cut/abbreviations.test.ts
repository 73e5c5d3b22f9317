import { expect, it } from 'vitest'
import { transcriptFromRecognition } from '../speech/transcript.ts'
import { breakClass } from './pauses.ts'
import { rebuildScript } from './rebuild.ts'
import { selectTakes, type KeptWord } from './takes.ts'

/** Words of half a second, one after another. */
const heard = (text: string) =>
  text.split(' ').map((word, index) => ({ text: word, start: index / 2, end: index / 2 + 0.5 }))

/** Recognised words with the class of the pause after each that has one. */
const pauses = (text: string, kept: readonly KeptWord[]) =>
  kept.flatMap(({ word, textAfter }) => {
    const key = breakClass(textAfter)
    return key === null ? [] : [`${heard(text)[word]?.text} ${key}`]
  })

it.each([
  ['Ask Mr. Lee or Dr. Day. They know.', 'ask mister lee or doctor day they know', ['day 。', 'know 。']],
  ['Bread, e.g. rye, is good.', 'bread e.g rye is good', ['bread ,', 'rye ,', 'good 。']],
  ['Cats vs. dogs at No. 5.', 'cats versus dogs at no five', ['five 。']],
  ['Is it true? No. It is not.', 'is it true no it is not', ['true ?', 'no 。', 'not 。']],
  ['We met the Dr.\nHe was kind.', 'we met the doctor he was kind', ['doctor paragraph', 'kind 。']],
])('a script has no pause after an abbreviation: %s', (script, spoken, expected) => {
  const { kept, coverage } = selectTakes(script, heard(spoken))
  expect(coverage).toBe(1)
  expect(pauses(spoken, kept)).toEqual(expected)
})

it('a reconstructed script has none either', () => {
  const spoken = 'Ask Mr. Lee or Dr. Day. They know.'
  const words = heard(spoken)
  const transcript = transcriptFromRecognition([
    { text: spoken, words, timed: true, confidence: null, language: 'en' },
  ])
  expect(pauses(spoken, rebuildScript(transcript).kept)).toEqual(['Day. 。', 'know. 。'])
})
