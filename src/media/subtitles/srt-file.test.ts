import { expect, it } from 'vitest'
import { cueArrow, srtFile } from './srt-file.ts'
import { unwrapText } from './wrap.ts'

it('an arrow of any length is replaced, a single dash is not', () => {
  expect('a --> b ----->c -> - -- d-->'.replaceAll(cueArrow, '→')).toBe('a → b →c -> - -- d→')
})

// Each took minutes where what has no end is tried from every place in it.
it('a row of a million dashes or spaces takes linear time', () => {
  const dashes = '-'.repeat(1e6)
  expect(srtFile([{ start: 0, end: 1000, lines: [dashes] }])).toContain(dashes)
  const spaces = ' '.repeat(1e6)
  expect(unwrapText(`a${spaces}b\n${spaces}c`)).toBe(`a${spaces}b c`)
})
