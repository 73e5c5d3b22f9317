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

const wrongWords = [
  {
    place: 'between two parts of a sentence, equal to the end of another sentence',
    text: '質問があれば、下に書いてください。私は駅前の店で見つけました。',
    heard: ['質問があれば', '見つけました書いてください', '私は駅前の店で見つけました'],
    kept: '質問があれば見つけました書いてください私は駅前の店で見つけました',
  },
  {
    place: 'in a restart, and other ones in what it restarts',
    text: '質問があります。私は駅前の店で見つけました。',
    heard: ['質問があります', '質問が駅前の', '私は六時間店で見つけました'],
    kept: '質問があります私は六時間店で見つけました',
  },
  {
    place: 'at the end of a sentence, more than its right ones',
    text: '値段は少し高いですが、とても便利です。私は駅前の店で見つけました。',
    heard: ['値段は少し高いですが', 'とても便利です', '私は駅前の入って高いですが'],
    kept: '値段は少し高いですがとても便利です私は駅前の入って高いですが',
  },
  {
    place: 'before a word that is like their end',
    text: '箱を開けると、小さな袋が入っています。とても便利です。',
    heard: ['箱を開けると', '小さな袋が行きたいですいます', 'とても便利です'],
    kept: '箱を開けると小さな袋が行きたいですいますとても便利です',
  },
]

it.each(wrongWords)('keeps wrong words $place', ({ text, heard: sentences, kept: expected }) => {
  const heard = heardSentences(sentences)
  const { kept } = selectTakes(text, heard)
  expect(kept.map(({ word }) => heard[word]?.text).join('')).toBe(expected)
})

it('a sentence without a good take is joined from others in their pauses only', () => {
  const heard = heardSentences([
    '駅前の少し見つけました',
    '値段は少し高いです',
    'とても便利です',
    '私はでしょうか店で六時間',
  ])
  const { kept } = selectTakes(script, heard)
  expect(kept.map(({ word }) => heard[word]?.text).join('')).toBe(
    '駅前の少し見つけました値段は少し高いですとても便利です',
  )
})
