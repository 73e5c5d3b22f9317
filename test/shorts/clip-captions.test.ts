import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { captionSentences } from '../../src/media/shorts/caption-sentences.ts'
import { clipCaptions, type ClipWord } from '../../src/media/shorts/clip-captions.ts'
import { lettersPerLine } from '../../src/media/subtitles/line-length.ts'
import { estimateWidth } from '../../src/media/subtitles/text-width.ts'

const rate = { num: 25, den: 1 }
const portrait = { width: 1080, height: 1920 }
const landscape = { width: 1920, height: 1080 }

/** Words of a text that take 60 ms per letter, with a pause after each that is in `pauses`. */
function wordsOf(parts: readonly string[], pauses: Readonly<Record<string, number>> = {}): ClipWord[] {
  let now = 0
  return parts.map((text) => {
    const start = now
    const end = start + 0.06 * [...text].length * (/\p{Script=Han}|[\u3040-\u30ff]/u.test(text) ? 3 : 1)
    now = end + (pauses[text] ?? 0.02)
    return { text, start, end, endsSentence: /[.。]$/.test(text) }
  })
}

function captionsOf(words: readonly ClipWord[], size = portrait) {
  const frames = Math.ceil(((words.at(-1)?.end ?? 0) + 1) * rate.num)
  return clipCaptions(words, { ranges: [{ first: 0, end: frames }], rate, size, strip: false })
}

const linesOf = (text: string, size = portrait) =>
  captionsOf(wordsOf(text.split(' ')), size).map(({ lines }) => lines.join(' | '))

/** Words of Chinese or Japanese, with punctuation at the word before it. */
function segments(text: string, language: string): string[] {
  const parts: string[] = []
  for (const { segment, isWordLike } of new Intl.Segmenter(language, { granularity: 'word' }).segment(text)) {
    if (isWordLike) parts.push(segment)
    else parts[parts.length - 1] += segment
  }
  return parts
}

describe('captions are divided at phrases', () => {
  it('of English', () => {
    expect(
      linesOf(
        'When I was a child, my grandmother read me a story. We sold the house for 20 gold coins and moved to a small apartment in the middle of the city.',
      ),
    ).toEqual([
      'When I was a child,',
      'my grandmother | read me a story.',
      'We sold the house | for 20 gold coins',
      'and moved | to a small apartment',
      'in the middle | of the city.',
    ])
  })

  it('of Chinese: at punctuation, not between a number and what it counts', () => {
    const words = wordsOf(
      segments('那时候我每天早上五点起床，坐两个小时的公交车去上班，晚上十点才回到家。', 'zh'),
    )
    expect(captionsOf(words, landscape).map(({ lines }) => lines.join(' | '))).toEqual([
      '那时候我每天早上五点起床，',
      '坐两个小时的公交车去上班， | 晚上十点才回到家。',
    ])
  })

  it('of Japanese: after particles', () => {
    const words = wordsOf(
      segments('あの村まで歩いて25キロもかかりましたが、途中で楽しい旅になりました。', 'ja'),
    )
    const lines = captionsOf(words).flatMap((caption) => caption.lines)
    expect(lines.join(' | ')).toMatch(/歩いて \| 25 ?キロもかかりましたが、/)
  })

  it.each([
    ['de', 'Quand nous étions petits, mon oncle parlait souvent de la mer et du vieux port de la ville.'],
    [
      'los',
      'Cuando era pequeño, mi abuela contaba siempre la historia de los barcos en el puerto de la ciudad.',
    ],
  ])('no line ends with an article or a preposition: %s', (_, text) => {
    for (const size of [portrait, landscape]) {
      for (const line of linesOf(text, size).flatMap((caption) => caption.split(' | ')))
        expect(line).not.toMatch(/ (?:de|du|la|le|mon|los|las|el|en|mi|et|y)$/)
    }
  })

  it('numbers stay with their units, and lines fit, in any text', () => {
    const word = fc.constantFrom(
      'we',
      'walked',
      'the',
      'of',
      'road,',
      'and',
      'nobody',
      'story.',
      'remembered',
      'to',
      'sea',
    )
    const measure = fc.constantFrom('25 kilometers', '3 hours', 'six months', '40 %')
    const part = fc.oneof({ weight: 4, arbitrary: word }, { weight: 1, arbitrary: measure })
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 3, maxLength: 40 }),
        fc.constantFrom(portrait, landscape),
        (parts, size) => {
          const captions = captionsOf(wordsOf(parts.join(' ').split(' ')), size)
          const lines = captions.flatMap((caption) => caption.lines)
          expect(lines.join(' ')).toBe(parts.join(' '))
          for (const line of lines) {
            expect(line).not.toMatch(/(?:\d|\bsix)$/)
            expect(estimateWidth(line)).toBeLessThanOrEqual(lettersPerLine(size) + 1e-9)
          }
          expect(Math.max(...captions.map((caption) => caption.lines.length))).toBeLessThanOrEqual(2)
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('a pause of half a second', () => {
  const pauses = { the: 0.7, house: 0.7 }
  it('begins a caption, but not after an article', () => {
    expect(
      captionsOf(wordsOf('we sold the house for 20 coins.'.split(' '), pauses)).map(({ lines }) =>
        lines.join(' '),
      ),
    ).toEqual(['we sold the house', 'for 20 coins.'])
  })
})

describe('translators get', () => {
  it('whole sentences, over all their captions', () => {
    const text =
      'When I was a child, my grandmother read me a story about the sea. We sold the house for 20 gold coins.'
    const captions = captionsOf(wordsOf(text.split(' ')))
    const sentences = captionSentences(captions)
    expect(sentences.map((one) => one.text)).toEqual([
      'When I was a child, my grandmother read me a story about the sea.',
      'We sold the house for 20 gold coins.',
    ])
    expect(sentences.flatMap((one) => one.captions)).toEqual(captions)
    expect(captions.length).toBeGreaterThan(2)
  })

  it('long sentences in parts: clauses from 8 s on, and captions from 15 s on', () => {
    const clause = 'and the old men warn us that the road was closed because of the snow in the mountains'
    const withClauses = Array.from({ length: 6 }, () => clause).join(', ')
    for (const [text, most] of [
      [withClauses, 13],
      [withClauses.replaceAll(',', ''), 17],
    ] as const) {
      const sentences = captionSentences(captionsOf(wordsOf(text.split(' '))))
      expect(sentences.length).toBeGreaterThan(1)
      for (const { captions } of sentences)
        expect((captions.at(-1)?.end ?? 0) - (captions[0]?.start ?? 0)).toBeLessThan(1000 * most)
    }
  })
})
