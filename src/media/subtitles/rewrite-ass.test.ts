import { expect, test } from 'vitest'
import { readSubtitles } from './read.ts'
import { rewriteAss } from './rewrite-ass.ts'

/** A file with every entry's text replaced. */
function rewritten(text: string): string {
  const file = readSubtitles(Buffer.from(text), { format: 'ass' })
  const events = new Map(file.entries.map((entry) => [entry, [{ text: `new ${entry.text}` }]]))
  return rewriteAss(file, { styles: [], events })
}

test('sections are recognized as when reading', () => {
  const lines = (said: string) => [
    '[ Events ]',
    'Format: Start, End, Text, Style',
    `Dialogue: 0:00:01.00,0:00:02.00,${said},Default`,
    '[Notes]',
    'Format: Text, Start, End, Style',
    '[events] ',
    `Dialogue: 0:00:03.00,0:00:04.00,${said},Default`,
  ]
  expect(rewritten(lines('Hi').join('\n'))).toBe(lines('new Hi').join('\n'))
})

test('each line is rewritten by the last Format line before it', () => {
  const lines = (said: string) => [
    '[Events]',
    `Dialogue: 0,0:00:01.00,0:00:02.00,A,,0,0,0,,${said}`,
    'Format: Start, End, Text',
    `Dialogue: 0:00:03.00,0:00:04.00,${said}`,
    'Format: Start, Text, End',
    `Dialogue: 0:00:05.00,${said},0:00:06.00`,
  ]
  expect(rewritten(lines('Hi').join('\n'))).toBe(lines('new Hi').join('\n'))
})

test('2000 entries before a million Format lines are rewritten in linear time', () => {
  const entries = 'Dialogue: 0,0:1.0,0:2.0,A,,0,0,0,,x\n'.repeat(2000)
  const text = `[Events]\n${entries}${'Format:\n'.repeat(1_000_000)}`
  const file = readSubtitles(Buffer.from(text), { format: 'ass' })
  expect(file.entries).toHaveLength(2000)
  const events = new Map(file.entries.map((entry) => [entry, [{ text: 'y' }]]))
  const started = performance.now()
  rewriteAss(file, { styles: [], events })
  expect(performance.now() - started).toBeLessThan(5000)
})
