import { expect, it } from 'vitest'
import { selectTakes } from './takes.ts'

const script = '私は駅前の店で見つけました。値段は少し高いです。とても便利です。'

/** Characters of sentences as a recogniser reports them: 0.2 s each, and 0.6 s between the sentences. */
function heardSentences(sentences: readonly string[]) {
  let now = 1
  return sentences.flatMap((sentence) => {
    const words = [...sentence].map((text, index) => ({
      text,
      start: now + 0.2 * index,
      end: now + 0.2 * (index + 1),
    }))
    now += 0.2 * words.length + 0.6
    return words
  })
}

it.each([
  ['the start of a sentence', ['値段は駅前の店で見つけました', '値段は少し高いです', 'とても便利です']],
  ['the end of a sentence', ['私は駅前の店で見つけました', '値段は少し高いです', 'とても値段は']],
  [
    'a start that is longer than what was said',
    ['私は駅前の店で見つけました', '値段は少し高いです', '見つけました便利です'],
  ],
])('words that were recognised as others of the script stay: %s', (_, sentences) => {
  const heard = heardSentences(sentences)
  const { kept, dropped, uncovered } = selectTakes(script, heard)
  expect(kept.map(({ word }) => heard[word]?.text).join('')).toBe(sentences.join(''))
  expect([dropped, uncovered]).toEqual([[], []])
})

it('a return to an earlier sentence without a pause is still found', () => {
  const heard = heardSentences([
    '私は駅前の店で見つけ私は駅前の店で見つけました',
    '値段は少し高いです',
    'とても便利です',
  ])
  const { kept, dropped } = selectTakes(script, heard)
  expect(kept.map(({ word }) => heard[word]?.text).join('')).toBe(script.replaceAll('。', ''))
  expect(dropped).toEqual([{ words: { from: 0, to: 10 }, reason: 'retake' }])
})
