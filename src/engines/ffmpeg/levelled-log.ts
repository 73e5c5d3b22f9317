import { stripVTControlCharacters } from 'node:util'

/** What ffmpeg tells where it is not asked for more. */
const shownLevels = /\[(?:warning|error|fatal|panic)\] /

/** Longest beginning of a line that is kept until the rest comes, characters: tags of a file may be endless. */
const maxLogLine = 1000

/**
 * Reads the log of an ffmpeg that tells more than it would by itself, with how grave each line is (`-loglevel
 * repeat+level+verbose`, say), line by line. Answers what it would have told by itself: tags and the like are no part
 * of its log.
 */
export function logFilter(onLine: (line: string) => void): (chunk: Buffer) => Buffer {
  let rest = ''
  return (chunk) => {
    const all = (rest + chunk.toString('latin1')).split(/[\r\n]/)
    rest = (all.pop() ?? '').slice(0, maxLogLine)
    // Where AV_LOG_FORCE_COLOR is set there are colours.
    const lines = all.map((line) => stripVTControlCharacters(line))
    for (const line of lines) onLine(line)
    const told = lines
      .filter((line) => shownLevels.test(line))
      .map((line) => `${line.replace(shownLevels, '')}\n`)
    return Buffer.from(told.join(''), 'latin1')
  }
}
