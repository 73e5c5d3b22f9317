import type { Readable } from 'node:stream'

/** A longer line is told in pieces of this, characters. */
const longestLine = 4096

/** Tells what a program prints, line by line; a last one without an end as well. */
export function eachLine(stream: Readable, tell: (line: string) => void): void {
  let rest = ''
  const take = (text: string): void => {
    const lines = (rest + text).split(/[\r\n]+/)
    rest = lines.pop() ?? ''
    for (; rest.length > longestLine; rest = rest.slice(longestLine)) lines.push(rest.slice(0, longestLine))
    for (const line of lines) {
      for (let at = 0; at < line.length; at += longestLine) tell(line.slice(at, at + longestLine))
    }
  }
  stream.setEncoding('utf8')
  stream.on('data', take)
  stream.once('end', () => take('\n'))
}
