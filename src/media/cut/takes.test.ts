import { soakSize } from '../../../test/soak-size.ts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitWords } from '../speech/words.ts'
import type { TimedWord } from '../speech/speech-types.ts'
import { selectTakes } from './takes.ts'

/** Recognised words of a reading: `|` is a pause of a second, each word takes 0.3 s. */
function hear(reading: string): TimedWord[] {
  let at = 0
  return reading.split('|').flatMap((part, index) => {
    if (index > 0) at += 1
    return splitWords(part).map((text) => ({ text, start: at, end: (at += 0.3) }))
  })
}

/** The text that a selection keeps, and what it drops with the reasons. */
function select(script: string, reading: string) {
  const heard = hear(reading)
  const { kept, dropped, fillers, uncovered, coverage, review } = selectTakes(script, heard)
  const text = (from: number, to: number) =>
    heard
      .slice(from, to)
      .map((word) => word.text)
      .join(' ')
  return {
    kept: kept.map(({ word }) => heard[word]?.text).join(' '),
    starts: kept.map(({ word }) => word),
    dropped: dropped.map(({ words, reason }) => `${reason}: ${text(words.from, words.to)}`),
    fillers: fillers.map(({ from, to }) => text(from, to)),
    ...{ uncovered, coverage, review, breaks: kept.map(({ textAfter }) => textAfter) },
  }
}

/** A number in letters, since each digit is a unit of its own. */
function letters(number: number): string {
  return `w${String(number).replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))}`
}

const story = 'The cat sat on the mat. Then it looked out of the window. Nobody came home before dark.'

describe('selectTakes', () => {
  test('keeps a perfect reading', () => {
    const { kept, dropped, coverage, uncovered, review } = select(story, story.replaceAll('. ', '. |'))
    expect({ kept, dropped, coverage, uncovered, review }).toEqual({
      ...{ kept: story, dropped: [], coverage: 1, uncovered: [], review: [] },
    })
  })

  test('keeps the last take of a sentence', () => {
    const reading =
      'The cat sat on the mat. | The cat sat on the mat. | Then it looked out of the window. Nobody came home before dark.'
    const { kept, starts, dropped } = select(story, reading)
    expect(kept).toBe(story)
    expect(starts[0]).toBe(6)
    expect(dropped).toEqual(['retake: The cat sat on the mat.'])
  })

  test('keeps the complete take when the later one breaks off', () => {
    const reading =
      'The cat sat on the mat. | Then it looked out of the window. | Then it looked | Nobody came home before dark.'
    const { kept, dropped } = select(story, reading)
    expect(kept).toBe(story)
    expect(dropped).toEqual(['retake: Then it looked'])
  })

  test('drops a restart and a hesitation within a sentence', () => {
    const reading =
      'The cat the cat sat um on the mat. | Then it looked out of the window. | Nobody came home before dark.'
    const { kept, dropped, fillers } = select(story, reading)
    expect(kept).toBe(story.replace('The cat', 'the cat'))
    expect(dropped).toEqual(['retake: The cat'])
    expect(fillers).toEqual(['um'])
  })

  test('drops a misread take', () => {
    const reading =
      'The cat sat on the mat. | Then we cooked a lot of dinner. | Then it looked out of the window. | Nobody came home before dark.'
    const { kept, dropped } = select(story, reading)
    expect(kept).toBe(story)
    expect(dropped).toEqual(['misread: Then we cooked a lot of dinner.'])
  })

  test('drops what is not in the script', () => {
    const reading =
      'The cat sat on the mat. | sorry can you close that door please | Then it looked out of the window. | Nobody came home before dark.'
    const { kept, dropped } = select(story, reading)
    expect(kept).toBe(story)
    expect(dropped).toEqual(['misread: sorry can you close that door please'])
  })

  test('drops long speech beside the script, whose words also occur in it', () => {
    const beside =
      'and the dog came out of it on the one before that the man had in the end of it all for the sake of some mat ' +
      'which was home to nobody but a dark old window where it looked as if then nobody sat on the cat before it came'
    const reading = `The cat sat on the mat. | ${beside} | Then it looked out of the window. | Nobody came home before dark.`
    const { kept, dropped } = select(story, reading)
    expect(kept).toBe(story)
    expect(dropped).toEqual([`misread: ${beside}`])
  })

  test('prefers the last of two incomplete takes to a better start of the first one', () => {
    const script = 'Unless to be rather cold hearted and rather selfish is to be ill disposed.'
    const reading =
      'hello study rather cold are in rather selfish | hello study rather old are in rather selfish | is to be all disclosed'
    const { kept, dropped } = select(script, reading)
    expect(kept).toBe('hello study rather old are in rather selfish is to be all disclosed')
    expect(dropped).toEqual(['retake: hello study rather cold are in rather selfish'])
  })

  test('selects takes of thousands of words in seconds of processor time', () => {
    const sentences = Array.from({ length: soakSize(400, 1250) }, (_, index) =>
      Array.from({ length: 8 }, (__, at) => `w${(index * 7919 + at * 104_729) % 3001}`).join(' '),
    )
    const reading = sentences.flatMap((text, index) => (index % 4 === 0 ? [text, text] : [text])).join(' | ')
    const before = process.cpuUsage()
    const { kept } = select(`${sentences.join('. ')}.`, reading)
    const { user, system } = process.cpuUsage(before)
    expect(splitWords(kept)).toHaveLength(8 * sentences.length)
    // A third of the sentences have less than a quarter of the time: quadratic work takes a tenth.
    expect((user + system) / 1e6).toBeLessThan(soakSize(2.2, 10))
  })

  test('selects one take of many words, a quarter of them with additions, in seconds of processor time', () => {
    const words = Array.from({ length: soakSize(6000, 20_000) }, (_, index) =>
      letters((index * 7919) % 30_011),
    )
    const reading = words.map((word, index) => (index % 4 === 3 ? `${word} um so well then` : word))
    const begun = process.cpuUsage()
    const { dropped, coverage } = select(words.join(' '), reading.join(' '))
    const { user, system } = process.cpuUsage(begun)
    expect({ additions: dropped.length, coverage }).toEqual({ additions: words.length / 4, coverage: 1 })
    // A third of the words have a sixth of the time: quadratic work takes an eleventh.
    expect((user + system) / 1e6).toBeLessThan(soakSize(2, 12))
  })

  test.each([
    ['In 2014 we met in Paris.', 'In 2014 we met in Paris.'],
    ['In 2014 we met in Paris.', 'In twenty fourteen we met in Paris.'],
    ['It costs £13.60 today.', 'It costs thirteen pounds sixty today.'],
    ['It costs 1,250,000 dollars, today.', 'It costs 1250000 dollars today.'],
    ['产品在2014年发布', '产品在二零一四年发布'],
  ])('covers all of the number in %s when it is read as %s', (script, reading) => {
    expect(select(script, reading)).toMatchObject({ coverage: 1, uncovered: [], dropped: [] })
  })

  test('reports a number without footage', () => {
    const { coverage, uncovered } = select('We met in Paris in 2014.', 'We met in Paris in.')
    expect({ coverage, uncovered }).toEqual({ coverage: 5 / 9, uncovered: ['2014'] })
  })

  test('joins a sentence from two takes and asks for a review', () => {
    const reading =
      'The cat sat on | on the mat. | Then it looked out of the window. Nobody came home before dark.'
    const { kept, coverage } = select(story, reading)
    expect(kept).toBe(story)
    expect(coverage).toBe(1)
  })

  test('puts a sentence that was read late into its place', () => {
    const reading =
      'The cat sat on the mat. | Nobody came home before dark. | Then it looked out of the window.'
    const { kept, starts } = select(story, reading)
    expect(kept).toBe(story)
    expect(starts).toEqual([0, 1, 2, 3, 4, 5, 11, 12, 13, 14, 15, 16, 17, 6, 7, 8, 9, 10])
  })

  test('reports a passage without footage', () => {
    const { kept, uncovered, coverage } = select(
      story,
      'The cat sat on the mat. | Nobody came home before dark.',
    )
    expect(kept).toBe('The cat sat on the mat. Nobody came home before dark.')
    expect(uncovered).toEqual(['Then it looked out of the window'])
    expect(coverage).toBeCloseTo(11 / 18)
  })

  test('returns the punctuation after each kept word, also across dropped words', () => {
    const script = 'One, two. | Three\nFour'.replace('| ', '')
    const { breaks } = select(script, 'One two two | Three | three | four')
    expect(breaks).toEqual([', ', '. ', '\n', ''])
  })

  test('keeps the last takes of a Chinese script with numbers', () => {
    const script = '我们在2014年搬到北京。今天天气很好，我们出去走走。大家都很高兴。'
    const reading =
      '我们在二零一四年搬到|我们在二零一四年搬到北京|今天天气很好我们出去走走|今天天气很好我们出去走走|嗯|大家都很高兴'
    const { kept, dropped, coverage } = select(script, reading)
    expect(kept.replaceAll(' ', '')).toBe('我们在二零一四年搬到北京今天天气很好我们出去走走大家都很高兴')
    expect(dropped.map((text) => text.slice(0, 6))).toEqual(['retake', 'retake'])
    expect(coverage).toBe(1)
  })

  test('selects the last takes of random readings', () => {
    const words =
      'amber bridge candle dragon engine forest garden harbor island jungle kettle ladder mirror needle orange pencil quarry ribbon silver tunnel umbrella velvet window yellow zipper'.split(
        ' ',
      )
    const sentence = fc.array(fc.constantFrom(...words), { minLength: 4, maxLength: 10 })
    const script = fc.uniqueArray(sentence, { minLength: 2, maxLength: 8, selector: (one) => one.join(' ') })
    // For each sentence: how many complete takes precede the last one, and whether a broken take precedes it.
    const extras = fc.array(fc.tuple(fc.nat(2), fc.boolean()), { minLength: 8, maxLength: 8 })
    fc.assert(
      fc.property(script, extras, (sentences, takes) => {
        const text = sentences.map((one) => `${one.join(' ')}.`).join(' ')
        const reading: string[] = []
        const truth: number[] = []
        let count = 0
        for (const [index, one] of sentences.entries()) {
          const [complete, broken] = takes[index] ?? [0, false]
          const read = (part: readonly string[], isLast: boolean) => {
            reading.push(part.join(' '))
            if (isLast) truth.push(...part.map((_, at) => count + at))
            count += part.length
          }
          for (let take = 0; take < complete; take += 1) read(one, false)
          if (broken) read(one.slice(0, Math.ceil(one.length / 2)), false)
          read(one, true)
        }
        const { starts } = select(text, reading.join(' | '))
        const wrong = truth.filter((word) => !starts.includes(word)).length
        expect(wrong + Math.abs(starts.length - truth.length)).toBe(0)
      }),
      { numRuns: 100 },
    )
  })
})
