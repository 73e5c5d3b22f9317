import { soakSize } from '../../../test/soak-size.ts'
import { describe, expect, test } from 'vitest'
import { splitWords } from '../speech/words.ts'
import type { TimedWord } from '../speech/speech-types.ts'
import { findRetakes } from './repeats.ts'

/** What stays of a reading: `|` is a pause of a second, each word takes 0.3 s. */
function keep(reading: string): string {
  let at = 0
  const heard: TimedWord[] = reading.split('|').flatMap((part, index) => {
    if (index > 0) at += 1
    return splitWords(part).map((text) => ({ text, start: at, end: (at += 0.3) }))
  })
  const dropped = findRetakes(heard)
  return heard
    .filter((_, word) => !dropped.some(({ from, to }) => word >= from && word < to))
    .map(({ text }) => text)
    .join(' ')
}

describe('findRetakes', () => {
  test.each([
    ['keeps a reading without repetitions', 'The cat sat on the mat. | Then it left.', undefined],
    [
      'keeps the last of three takes',
      'The cat sat on the mat. | The cat sat on a mat. | The cat sat on the mat. | Then it left.',
      'The cat sat on the mat. Then it left.',
    ],
    [
      'drops a beginning that was broken off',
      'The cat sat on | The cat sat on the mat. | Then | Then it left.',
      'The cat sat on the mat. Then it left.',
    ],
    [
      'drops an earlier take of two utterances',
      'The cat sat on the mat | and it looked very happy. | The cat sat on the mat and it looked very happy. | Then it left.',
      'The cat sat on the mat and it looked very happy. Then it left.',
    ],
    ['drops a restart within an utterance', 'The cat the cat sat on the mat.', 'the cat sat on the mat.'],
    [
      'keeps short answers that return',
      'Yes. | That is what we thought about it. | Yes. | It was late.',
      undefined,
    ],
    [
      'drops a Chinese retake',
      '今天天气很好我们出去走走|今天天气很好我们出去走走吧|大家都很高兴',
      '今 天 天 气 很 好 我 们 出 去 走 走 吧 大 家 都 很 高 兴',
    ],
    [
      'keeps the last word before a take that is repeated with another word at its start',
      'until it feels like | paper. | The saw should be sharp, | and the saw should be sharp, and the bench must not move.',
      'until it feels like paper. and the saw should be sharp, and the bench must not move.',
    ],
    ['keeps doubled Chinese words', '大家看看慢慢来', '大 家 看 看 慢 慢 来'],
  ])('%s', (_, reading, expected) => {
    expect(keep(reading)).toBe(expected ?? splitWords(reading.replaceAll('|', ' ')).join(' '))
  })

  test('keeps what is said again after two minutes', () => {
    const filler = Array.from({ length: 400 }, (_, index) => `word${index}`).join(' ')
    const reading = `The cat sat on the mat. | ${filler} | The cat sat on the mat.`
    expect(keep(reading)).toBe(splitWords(reading.replaceAll('|', ' ')).join(' '))
  })

  test('compares half an hour of slow speech, with a pause after each character, in seconds of processor time', () => {
    const heard = Array.from({ length: 9000 }, (_, index) => ({
      // Every character differs from its neighbours, and each of 2,000 returns after seven minutes.
      text: String.fromCodePoint(0x4e00 + ((index * 1237) % 2000)),
      start: index * 0.2,
      end: index * 0.2 + 0.1,
    }))
    const begun = process.cpuUsage()
    expect(findRetakes(heard)).toEqual([])
    expect(process.cpuUsage(begun).user / 1e6).toBeLessThan(10)
  })

  const sentences = soakSize(20_000, 80_000)

  test(`compares ${sentences} sentences of one word each, within three seconds, in seconds of processor time`, () => {
    const heard = Array.from({ length: sentences }, (_, index) => ({
      // Half of the words near a word return near it, and hardly ever in its order.
      text: `word${(31 * index * index + 17 * index) % 401}`,
      start: (3 * index) / sentences,
      end: (3 * (index + 0.5)) / sentences,
    }))
    const begun = process.cpuUsage()
    expect(findRetakes(heard, new Set(heard.keys())).length).toBeGreaterThan(sentences / 80)
    // A quarter of the sentences have a sixth of the time: quadratic work takes a sixteenth.
    expect(process.cpuUsage(begun).user / 1e6).toBeLessThan(soakSize(1.7, 10))
  })
})
