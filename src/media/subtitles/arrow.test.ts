import { expect, it } from 'vitest'
import { arrow } from './arrow.ts'
import { srtFile } from './srt-file.ts'
import { onOneLine } from './wrap.ts'

it('an arrow of any length becomes a sign, and a dash alone stays', () => {
  expect('a --> b ----->c -> - -- d-->'.replaceAll(arrow, '→')).toBe('a → b →c -> - -- d→')
})

// Each took minutes where what has no end is tried from every place in it.
it('a row of a million dashes or spaces is passed once', () => {
  const dashes = '-'.repeat(1e6)
  expect(srtFile([{ start: 0, end: 1000, lines: [dashes] }])).toContain(dashes)
  const spaces = ' '.repeat(1e6)
  expect(onOneLine(`a${spaces}b\n${spaces}c`)).toBe(`a${spaces}b c`)
})
