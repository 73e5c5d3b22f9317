import { describe, expect, it } from 'vitest'
import { entryPassages, sentencePassages } from './passages.ts'
import { readSubtitles } from './read.ts'

/** Start and end in seconds, and the text. */
type Said = readonly [start: number, end: number, text: string]

/** A file of entries. */
function srt(...entries: readonly Said[]) {
  const time = (seconds: number) => `00:00:${seconds.toFixed(3).padStart(6, '0').replace('.', ',')}`
  const text = entries.map(
    ([start, end, said], at) => `${at + 1}\n${time(start)} --> ${time(end)}\n${said}\n`,
  )
  return readSubtitles(Buffer.from(text.join('\n')), { format: 'srt' })
}
const textsOf = (...entries: readonly Said[]) => sentencePassages(srt(...entries)).map(({ text }) => text)

describe('entries are joined', () => {
  it.each<[string, Said[], string[]]>([
    [
      'to sentences',
      [
        [1, 2, 'We were'],
        [2.1, 3, 'on the way.'],
        [3.1, 4, 'Then it rained.'],
      ],
      ['We were on the way.', 'Then it rained.'],
    ],
    [
      'without a space in Chinese',
      [
        [1, 2, '我们正在'],
        [2.1, 3, '路上。'],
      ],
      ['我们正在路上。'],
    ],
    [
      'not over a pause',
      [
        [1, 2, 'We were'],
        [2.9, 4, 'on the way.'],
      ],
      ['We were', 'on the way.'],
    ],
    [
      'not with another speaker',
      [
        [1, 2, 'We were'],
        [2.1, 3, '- Stop!'],
      ],
      ['We were', '- Stop!'],
    ],
    [
      'not where two speak',
      [
        [1, 2, 'We were'],
        [2.1, 3, '- Stop!\n- Why?'],
      ],
      ['We were', '- Stop!\n- Why?'],
    ],
    [
      'not with words of another look',
      [
        [1, 2, 'We were'],
        [2.1, 3, '<i>on</i> the way'],
      ],
      ['We were', 'on the way'],
    ],
    [
      'within one look',
      [
        [1, 2, '<i>We were</i>'],
        [2.1, 3, '<i>on the way.</i>'],
      ],
      ['We were on the way.'],
    ],
    [
      'not with another place',
      [
        [1, 2, 'We were'],
        [2.1, 3, String.raw`{\an8}on the way`],
      ],
      ['We were', 'on the way'],
    ],
    [
      'for 7 s at most',
      [
        [1, 5, 'We were'],
        [5, 8, 'on the way.'],
        [8, 12, 'It was'],
        [12, 15.1, 'very late.'],
      ],
      ['We were on the way.', 'It was', 'very late.'],
    ],
    [
      'in two lines at most',
      [
        [1, 3, 'We were on the way to the old harbour of the town'],
        [3, 5, 'where all the boats of the fishermen used to lie in winter.'],
      ],
      [
        'We were on the way to the old harbour of the town',
        'where all the boats of the fishermen used to lie in winter.',
      ],
    ],
    [
      'not without end punctuation',
      [
        [1, 3, 'we were on the way'],
        [3.1, 5, 'it was very late'],
      ],
      ['we were on the way', 'it was very late'],
    ],
    [
      'not over half a second',
      [
        [1, 3, 'We were on the way'],
        [3.5, 6, 'to the station.'],
      ],
      ['We were on the way', 'to the station.'],
    ],
    [
      'not without end punctuation in Chinese',
      [
        [1, 2, '我们正在'],
        [2.1, 3, '路上'],
      ],
      ['我们正在', '路上'],
    ],
    [
      'not where a capital letter begins another sentence',
      [
        [1, 2, 'Ten years later'],
        [2.1, 3, 'He came back.'],
      ],
      ['Ten years later', 'He came back.'],
    ],
    [
      'where a name follows a comma, or I',
      [
        [1, 2, 'After the war,'],
        [2.1, 3, 'John and'],
        [3.1, 4, "I'd left."],
      ],
      ["After the war, John and I'd left."],
    ],
    [
      'not with an earlier one',
      [
        [5, 6, 'We were'],
        [4.9, 6.5, 'on the way'],
      ],
      ['We were', 'on the way'],
    ],
  ])('%s', (_, entries, texts) => {
    expect(textsOf(...entries)).toEqual(texts)
  })

  it('each entry is in one passage, in order', () => {
    const subtitles = srt([1, 2, 'We were'], [2.1, 3, 'on <b>the</b> way.'], [3, 4, 'And'], [4, 5, 'then'])
    for (const passages of [sentencePassages(subtitles), entryPassages(subtitles)])
      expect(passages.flatMap(({ entries }) => entries)).toEqual(subtitles.entries)
  })
})
