import { inputArgs, runRaw } from '../../src/engines/ffmpeg/run.ts'
import type { KeptStream } from './kept.ts'
import type { Reading } from './reading.ts'

/** Largest empty line, bytes: between lines of an mp4 lie some that are a length alone. */
const empty = { given: 2, made: 0 }

/** Lines of subtitles that are lost as they are made into another form, in sentences: those that are in no letters. */
export async function lostLines(
  source: string,
  kept: readonly KeptStream[],
  { signal, timeoutMs }: Pick<Reading, 'signal' | 'timeoutMs'>,
): Promise<readonly string[]> {
  const made = kept.filter(({ type, codec }) => type === 's' && codec !== 'copy')
  if (made.length === 0) return []
  const forms = made.flatMap(({ index, codec }) => [
    { index, codec: 'copy', none: empty.given },
    { index, codec, none: empty.made },
  ])
  const lines = forms.map(() => 0)
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
        if (size > (forms[place]?.none ?? Infinity)) lines[place] = (lines[place] ?? 0) + 1
      }
    },
  })
  return made.flatMap(({ index }, place) => {
    const [all = 0, left = 0] = lines.slice(2 * place)
    const lost = all - left
    return lost > 0
      ? [`lines that could not be read were left out of the subtitles in stream ${index}: ${lost} of ${all}`]
      : []
  })
}
