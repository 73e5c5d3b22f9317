import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanLine, fitLine, isRightToLeft, textLanguage } from './drawing.ts'

/** Measures text with equally wide characters. */
const measure = (text: string) => [...text].length

test('a line that fits is unchanged; a longer one is truncated to the width and ends with an ellipsis', () => {
  expect(fitLine('Night Drive', 11, measure)).toBe('Night Drive')
  expect(fitLine('Night Drive', 10, measure)).toBe('Night Dri…')
  expect(fitLine('Night Drive', 7, measure)).toBe('Night…')
  expect(fitLine('Night Drive', 0, measure)).toBe('…')
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.integer({ min: 1, max: 30 }),
      (text, width) => {
        const line = cleanLine(text)
        const fitted = fitLine(line, width, measure)
        expect(measure(fitted)).toBeLessThanOrEqual(Math.max(width, 1))
        if (fitted !== line) expect(line.startsWith(fitted.slice(0, -1))).toBe(true)
      },
    ),
  )
})

test('graphemes of several code points are never split', () => {
  const family = '👨‍👩‍👧'
  expect(fitLine(`a${family}${family}`, 8, measure)).toBe(`a${family}…`)
  expect(fitLine(`a${family}${family}`, 6, measure)).toBe('a…')
})

test('line breaks are removed, and only the visible part of a long line is measured', () => {
  expect(cleanLine('  two\nlines\tof \u202etext\u0000 ')).toBe('two lines of text')
  expect(cleanLine('\ud800half')).toBe('\ufffdhalf')
  expect(measure(cleanLine('🌙'.repeat(100_000)))).toBe(600)
})

test('direction and language are derived from the letters', () => {
  expect(['ليل', '123 שלום', 'Night', '夜', ''].map(isRightToLeft)).toEqual([true, true, false, false, false])
  expect(['夜に', '아이유', '王菲', 'Night'].map(textLanguage)).toEqual(['ja', 'ko', 'zh-Hans', 'en'])
})
