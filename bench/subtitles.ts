import { changeSubtitles } from '../src/media/subtitles/edit-subtitles.ts'
import {
  findBilingual,
  countCharacters,
  findOverlappingLayers,
  subtitleLimits,
} from '../src/media/subtitles/check.ts'
import { splitIntoCues } from '../src/media/subtitles/split-cues.ts'
import { sentencePassages } from '../src/media/subtitles/passages.ts'
import { readSubtitles } from '../src/media/subtitles/read.ts'
import { rewriteAss } from '../src/media/subtitles/rewrite-ass.ts'
import { estimateWidth } from '../src/media/subtitles/text-width.ts'
import { encodeSubtitle } from '../test/engines/subtitles/sample-files.ts'

// Processor time for subtitle files in seconds, median of five. The largest files (8 MB): read, check, and write with every
// entry changed. Pathological files, read before a task is created: one long line, empty lines, NULs, 1.6 million tags,
// entries over the limit. The largest task (2000 entries): merge to sentences, split again, and rewrite as ASS with other
// styles.
// npm run bench -- subtitles

const size = 8 * 2 ** 20
const two = (value: number) => String(value % 60).padStart(2, '0')
const clock = (ms: number, dot: string) =>
  `${two(Math.floor(ms / 3_600_000))}:${two(Math.floor(ms / 60_000))}:${two(Math.floor(ms / 1000))}${dot}000`.slice(
    0,
    12,
  )

const repeated = (createLine: (index: number) => string, bytesEach: number) =>
  Array.from({ length: Math.floor(size / bytesEach) }, (_, index) => createLine(index)).join('')
const srt = repeated(
  (index) =>
    `${index + 1}\r\n${clock(index * 2000, ',')} --> ${clock(index * 2000 + 1000, ',')}\r\n你好，世界 ${index}\r\n\r\n`,
  66,
)
const ass = `[Events]\n${repeated(
  (index) =>
    `Dialogue: 0,${clock(index * 2000, '.').slice(1)},${clock(index * 2000 + 1000, '.').slice(1)},A,,0,0,0,,你好 ${index}\n`,
  66,
)}`

for (const [name, bytes, format] of [
  ['SRT, UTF-8', Buffer.from(srt), 'srt'],
  ['SRT, GB18030', encodeSubtitle(srt, 'gb18030'), 'srt'],
  ['SRT, UTF-16', encodeSubtitle(srt, 'utf-16le', true), 'srt'],
  ['ASS, UTF-8', Buffer.from(ass), 'ass'],
  ['one line', Buffer.alloc(size, 'x'), 'srt'],
  ['empty lines', Buffer.alloc(size, '\n'), 'srt'],
  ['NULs', Buffer.alloc(size), 'ass'],
] as const) {
  const file = readSubtitles(bytes, { format })
  const changes = new Map(file.entries.map((entry) => [entry, { text: `${entry.text}!` }]))
  const readSeconds = medianSeconds(() => readSubtitles(bytes, { format }))
  const check = medianSeconds(() => [findBilingual(file), findOverlappingLayers(file), countCharacters(file)])
  const write = medianSeconds(() => changeSubtitles(file, changes, { keepEncoding: true }))
  const mib = (bytes.length / 2 ** 20).toFixed(1)
  console.log(
    `${name}: ${mib} MiB, ${file.entries.length} entries, read ${readSeconds} s, check ${check} s, write ${write} s`,
  )
}

const events = '[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n'
for (const [name, text, format] of [
  [
    '1.6 million tags',
    `${events}Dialogue: 0,0:00:01.00,0:00:02.00,A,,0,0,0,,${'{\\a}'.repeat(1_600_000)}x\n`,
    'ass',
  ],
  ['short SRT entries', '1\n0:1,0 --> 0:2,0\nx\n\n'.repeat(size / 24), 'srt'],
  ['short ASS events', `${events}${'Dialogue: 0,0:1.0,0:2.0,A,,0,0,0,,x\n'.repeat(size / 36)}`, 'ass'],
] as const) {
  const bytes = Buffer.from(text)
  const maxEntries = subtitleLimits.entries
  const before = medianSeconds(() => {
    const file = readSubtitles(bytes, { format, most: maxEntries })
    return [countCharacters(file), findBilingual(file), findOverlappingLayers(file)]
  })
  console.log(`${name}: before a task is created ${before} s`)
}

const sentence = 'and so we went down to the harbour, with the old captain'
const speechEntries = Array.from(
  { length: 2000 },
  (_, at) =>
    `Dialogue: 0,${clock(at * 3000, '.').slice(1)},${clock(at * 3000 + 2900, '.').slice(1)},A,,0,0,0,,${sentence}\n`,
)
const file = readSubtitles(Buffer.from(events + speechEntries.join('')), { format: 'ass' })
const resegmentSeconds = medianSeconds(() =>
  sentencePassages(file).map(({ entries: [first, ...more], text }) =>
    splitIntoCues(
      { start: first.start, end: (more.at(-1) ?? first).end, text },
      { width: 20, measure: estimateWidth, lines: 2 },
    ),
  ),
)
const replacements = new Map(file.entries.map((entry) => [entry, [{ text: `${entry.text}!` }]]))
const rewriteSeconds = medianSeconds(() => rewriteAss(file, { styles: [], events: replacements }))
console.log(`2000 entries: resegmented in ${resegmentSeconds} s, rewritten in ${rewriteSeconds} s`)

/** Median processor time of five runs, seconds. */
function medianSeconds(work: () => unknown): string {
  const times = Array.from({ length: 5 }, () => {
    const started = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(started)
    return (user + system) / 1e6
  })
  return (times.toSorted((one, other) => one - other)[2] ?? 0).toFixed(2)
}
