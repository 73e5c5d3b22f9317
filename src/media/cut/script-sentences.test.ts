import { soakSize } from '../../../test/soak-size.ts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { comparableUnits } from '../speech/comparable-units.ts'
import { sentenceRanges } from './script-sentences.ts'
import { selectTakes } from './takes.ts'

/** The texts of the sentences of a script. */
function sentencesOf(script: string): string[] {
  const units = comparableUnits(script)
  return sentenceRanges(script, units).map(({ from, to }) =>
    script.slice(units[from]?.from, units[to - 1]?.to),
  )
}

/** Different Chinese characters. */
function characters(count: number): string {
  return Array.from({ length: count }, (_, index) => String.fromCodePoint(0x4e8c + index)).join('')
}

describe('sentenceRanges', () => {
  test('returns sentences and lines', () => {
    expect(sentencesOf('One two. Three!\nFour five\n…\nSix')).toEqual([
      'One two',
      'Three',
      'Four five',
      'Six',
    ])
  })

  test('divides long sentences after punctuation', () => {
    const [first, second] = [
      Array.from({ length: 60 }, () => 'one two').join(' '),
      Array.from({ length: 30 }, () => 'hey').join(' '),
    ]
    const parts = sentencesOf(`${second}, ${second}, ${first}.`)
    expect(parts[0]).toBe(`${second}, ${second}`)
    expect(parts.join(' ').replaceAll(/\W/g, '')).toBe(`${second}${second}${first}`.replaceAll(/\W/g, ''))
  })

  test('divides no number', () => {
    const words = characters(75)
    expect(sentencesOf(`${words}1234567890${words}`)).toSatisfy((parts: string[]) =>
      parts.some((part) => part.includes('1234567890')),
    )
  })

  test('partitions the units of any text into sentences of at most 80', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '的', ',', '.', '1', '\n'), maxLength: 600 })
    fc.assert(
      fc.property(text, (script) => {
        const units = comparableUnits(script)
        const ranges = sentenceRanges(script, units)
        expect(ranges.every(({ from, to }) => to > from && to - from <= 80)).toBe(true)
        expect(ranges.map(({ from }) => from)).toEqual(
          [0, ...ranges.map(({ to }) => to)].slice(0, ranges.length),
        )
        expect(ranges.at(-1)?.to ?? 0).toBe(units.length)
      }),
    )
  })
})

describe('a script of 50,000 characters without punctuation', () => {
  const script = characters(20_000) + characters(20_000) + characters(10_000)
  const hear = (text: string) =>
    [...text].map((character, index) => ({ text: character, start: index * 0.2, end: index * 0.2 + 0.2 }))

  test('keeps what was read of its beginning', () => {
    const { kept, coverage } = selectTakes(script, hear(script.slice(0, 2000)))
    // Characters such as 一 are numbers, which are compared by their digits.
    expect(kept.length).toBeGreaterThan(1990)
    expect(coverage).toBeCloseTo(0.04, 3)
  })

  test('is selected from hours with thousands of returns', () => {
    const read: string[] = []
    const count = soakSize(9000, 36_000)
    for (let at = 0; read.length < count; at += 10) read.push(...script.slice(at, at + 20))
    const { coverage } = selectTakes(script, hear(read.join('')))
    expect(coverage).toBeGreaterThan(count / 120_000)
  })
})
