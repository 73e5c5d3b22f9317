import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TimedWord } from '../speech/speech-types.ts'
import { insertWords } from './insert-words.ts'

const word = (text: string, start: number, end: number): TimedWord => ({ text, start, end })

/** Words in order, without overlaps, some of them long. */
const someWords = (letters: string) =>
  fc
    .array(
      fc.record({
        text: fc.constantFrom(...letters),
        gap: fc.double({ min: 0, max: 1, noNaN: true }),
        length: fc.oneof(
          fc.double({ min: 0.05, max: 0.8, noNaN: true }),
          fc.double({ min: 1.6, max: 6, noNaN: true }),
        ),
      }),
      { maxLength: 12 },
    )
    .map((parts) => {
      let at = 0
      return parts.map(({ text, gap, length }) => {
        const start = at + gap
        at = start + length
        return word(text, start, at)
      })
    })

describe('words inserted among others', () => {
  it('are in order and overlap nothing, and no short word changes', () => {
    fc.assert(
      fc.property(someWords('abc'), someWords('cdef'), (known, found) => {
        const { words, inserted } = insertWords(known, found)
        let last = 0
        for (const { start, end } of words) {
          expect(start).toBeGreaterThanOrEqual(last)
          expect(end).toBeGreaterThanOrEqual(start)
          last = end
        }
        expect(words).toEqual(expect.arrayContaining([...inserted]))
        const short = known.filter(({ start, end }) => end - start <= 1.5)
        expect(words).toEqual(expect.arrayContaining(short))
        for (const { text } of inserted) expect(found.map((one) => one.text)).toContain(text)
        expect(words.length).toBeLessThanOrEqual(known.length + inserted.length)
      }),
    )
  })

  it('are all of those found where nothing is known, and none where nothing is found', () => {
    fc.assert(
      fc.property(someWords('abc'), (words) => {
        expect(insertWords([], words)).toEqual({ words, inserted: words })
        expect(insertWords(words, [])).toEqual({ words, inserted: [] })
      }),
    )
  })

  it('do not repeat their neighbours, whose end and start were recognised with them', () => {
    const known = [word('the', 0, 0.4), word('board', 2, 2.4)]
    const found = [
      ...[word('the', 0.42, 0.5), word('whole', 0.6, 1), word('wooden', 1.1, 1.6), word('Board.', 1.95, 2.1)],
    ]
    const { words, inserted } = insertWords(known, found)
    expect(words.map(({ text }) => text)).toEqual(['the', 'whole', 'wooden', 'board'])
    expect(inserted).toEqual([word('whole', 0.6, 1), word('wooden', 1.1, 1.6)])
  })

  it('are not those within a known word, nor marks without letters', () => {
    const known = [word('shelf', 1, 1.5)]
    const { inserted } = insertWords(known, [word('self', 0.95, 1.45), word('♪', 1.5, 2), word('so', 2, 2.3)])
    expect(inserted).toEqual([word('so', 2, 2.3)])
  })

  it('take the time of a long word, which moves to where it is found again, or is shortened', () => {
    const later = insertWords(
      [word('welcome', 1, 6)],
      [word('welcome', 1.1, 1.5), word('back', 1.5, 1.9), word('welcome', 5.6, 6)],
    )
    expect(later.words).toEqual([word('welcome', 1.1, 1.5), word('back', 1.5, 1.9), word('welcome', 5.6, 6)])
    expect(later.inserted).toHaveLength(2)
    const shorter = insertWords([word('well', 1, 6)], [word('back', 1.7, 2), word('home', 5.6, 6)])
    expect(shorter.words[0]).toEqual(word('well', 1, 1.7))
    const removed = insertWords([word('well', 1, 6)], [word('back', 1, 2), word('home', 5.6, 6)])
    expect(removed.words.map(({ text }) => text)).toEqual(['back', 'home'])
  })

  it('end a sentence only before a pause', () => {
    const found = [word('board.', 1, 1.4), word('shelf.', 1.9, 2.2)]
    const { words } = insertWords([word('and', 2.3, 2.5)], found)
    expect(words.map(({ text }) => text)).toEqual(['board.', 'shelf', 'and'])
  })
})
