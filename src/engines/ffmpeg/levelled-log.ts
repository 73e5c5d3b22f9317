import { stripVTControlCharacters } from 'node:util'

/** Levels that ffmpeg logs by default. */
const shownLevels = /\[(?:warning|error|fatal|panic)\] /

/** Longest incomplete line kept until its end arrives, characters. Tags of a file may have any length. */
const maxLogLine = 1000

/**
 * Reads the log of an ffmpeg that logs more than by default and prefixes each line with its level (for
 * example `-loglevel repeat+level+verbose`). Calls `onLine` for each line. Returns only the lines that ffmpeg
 * logs by default, which excludes tags and similar output.
 */
export function logFilter(onLine: (line: string) => void): (chunk: Buffer) => Buffer {
  let rest = ''
  return (chunk) => {
    const all = (rest + chunk.toString('latin1')).split(/[\r\n]/)
    rest = (all.pop() ?? '').slice(0, maxLogLine)
    // Lines contain colour codes if AV_LOG_FORCE_COLOR is set.
    const lines = all.map((line) => stripVTControlCharacters(line))
    for (const line of lines) onLine(line)
    const told = lines
      .filter((line) => shownLevels.test(line))
      .map((line) => `${line.replace(shownLevels, '')}\n`)
    return Buffer.from(told.join(''), 'latin1')
  }
}
