import { inputArgs, runRaw } from '../../src/engines/ffmpeg/run.ts'
import type { KeptStream } from './kept.ts'
import type { Reading } from './reading.ts'

/** Bytes of a packet that is the length of its text alone: such lie between the lines of an mp4. */
const lengthAlone = 2

/** What becomes of subtitles that are made into another form. */
interface Lost {
  /** Streams of which no line is in letters, by their indexes. */
  readonly unreadable: readonly number[]
  /** Lines that are lost of others, in sentences. */
  readonly sentences: readonly string[]
}

/** Reads all lines of subtitles that are made into another form: those that are in no letters are lost. */
export async function lostLines(
  source: string,
  kept: readonly KeptStream[],
  { signal, timeoutMs }: Pick<Reading, 'signal' | 'timeoutMs'>,
): Promise<Lost> {
  const made = kept.filter(({ type, codec }) => type === 's' && codec !== 'copy')
  if (made.length === 0) return { unreadable: [], sentences: [] }
  const lines = made.map(({ index }) => ({ index, given: 0, read: 0, empty: 0 }))
  const forms = made.flatMap(({ index, codec }) => [
    { index, codec: 'copy' },
    { index, codec },
  ])
  let rest = ''
  await runRaw({
    args: [
      ...['-max_error_rate', '1', ...inputArgs(source)],
      ...forms.flatMap(({ index, codec }, place) => ['-map', `0:${index}`, `-c:s:${place}`, codec]),
      // A line of text for each packet: its stream, times, size.
      ...['-f', 'framecrc', 'pipe:1'],
    ],
    signal,
    timeoutMs,
    onOutput(chunk) {
      const packets = (rest + chunk.toString('latin1')).split('\n')
      rest = packets.pop() ?? ''
      for (const packet of packets) {
        const [place = NaN, , , , size = 0] = packet.split(',').map(Number)
        const mine = lines[Math.floor(place / 2)]
        if (!mine) continue
        if (place % 2 === 0) mine.given += size > lengthAlone ? 1 : 0
        // Of no text, but with a style, an empty line is made; of one in no letters, none.
        else mine[size > 0 ? 'read' : 'empty'] += 1
      }
    },
  })
  const poor = lines
    .map(({ index, given, read, empty }) => ({ index, read, all: given - empty }))
    .filter(({ read, all }) => read < all)
  return {
    unreadable: poor.filter(({ read }) => read === 0).map(({ index }) => index),
    sentences: poor
      .filter(({ read }) => read > 0)
      .map(({ index, read, all }) => {
        const lost = `${all - read} of ${all}`
        return `lines that could not be read were left out of the subtitles in stream ${index}: ${lost}`
      }),
  }
}
