import { changeSubtitles } from '../src/media/subtitles/change.ts'
import { bilingualAt, countCharacters, layersAt } from '../src/media/subtitles/check.ts'
import { readSubtitles } from '../src/media/subtitles/read.ts'
import { bytesOf } from '../test/engines/subtitles/made-files.ts'

// How long the largest subtitle files take (8 MB), median of five: read, check, and write with every entry changed;
// and what nobody would make: one long line, empty lines, NULs.
// node bench/subtitles.ts

const size = 8 * 2 ** 20
const two = (value: number) => String(value % 60).padStart(2, '0')
const clock = (ms: number, dot: string) =>
  `${two(Math.floor(ms / 3_600_000))}:${two(Math.floor(ms / 60_000))}:${two(Math.floor(ms / 1000))}${dot}000`.slice(
    0,
    12,
  )

const repeated = (make: (index: number) => string, bytesEach: number) =>
  Array.from({ length: Math.floor(size / bytesEach) }, (_, index) => make(index)).join('')
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
  ['SRT, GB18030', bytesOf(srt, 'gb18030'), 'srt'],
  ['SRT, UTF-16', bytesOf(srt, 'utf-16le', true), 'srt'],
  ['ASS, UTF-8', Buffer.from(ass), 'ass'],
  ['one line', Buffer.alloc(size, 'x'), 'srt'],
  ['empty lines', Buffer.alloc(size, '\n'), 'srt'],
  ['NULs', Buffer.alloc(size), 'ass'],
] as const) {
  const file = readSubtitles(bytes, { format })
  const changes = new Map(file.entries.map((entry) => [entry, { text: `${entry.text}!` }]))
  const read = median(() => readSubtitles(bytes, { format }))
  const check = median(() => [bilingualAt(file), layersAt(file), countCharacters(file)])
  const write = median(() => changeSubtitles(file, changes, { keepEncoding: true }))
  const mib = (bytes.length / 2 ** 20).toFixed(1)
  console.log(
    `${name}: ${mib} MiB, ${file.entries.length} entries, read ${read} ms, checked ${check}, written ${write}`,
  )
}

function median(work: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const started = performance.now()
    work()
    return performance.now() - started
  })
  return Math.round(times.toSorted((one, other) => one - other)[2] ?? 0)
}
