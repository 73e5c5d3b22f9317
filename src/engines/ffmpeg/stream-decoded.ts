import { MediaError } from '../../contract/errors.ts'
import type { FfmpegChildOptions } from './child.ts'
import { logFilter } from './run.ts'
import { streamOutput } from './stream-output.ts'

/** Makes ffmpeg log what each stream decoded to, and every gap that its resampler fills, without merging repeated lines. */
const decodeLogArgs = ['-loglevel', 'repeat+level+verbose'] as const

interface StreamDecodedJob extends Omit<FfmpegChildOptions, 'file' | 'onOutput' | 'readLog'> {
  /** Called with each line of the log. */
  readonly onLine?: (line: string) => void
}

/**
 * Streams sound that ffmpeg decodes, as `streamOutput` does. Throws 6017 at the end if most of the sound of an input did
 * not decode: ffmpeg 7 reports success.
 */
export async function* streamDecoded({ args, onLine, ...job }: StreamDecodedJob): AsyncGenerator<Buffer> {
  let isDamaged = false
  const readLog = logFilter((line) => {
    isDamaged ||= isMostlyDamaged(line)
    onLine?.(line)
  })
  yield* streamOutput({ ...job, args: [...decodeLogArgs, ...args], readLog })
  if (isDamaged) throw new MediaError(6017, 'the file is damaged: most of its sound does not decode')
}

/** Counts of a decoder, which ffmpeg 6.1 and later log when they end. A tag that imitates them only rejects its own file. */
const decodedLine = /Input stream #\d+:\d+ \(audio\): .*; (\d+) frames decoded; (\d+) decode errors/

/** Largest share of errors that is accepted: the default of ffmpeg's `-max_error_rate`. */
const maxErrorRate = 2 / 3

/** Returns whether a line of the log states that more of the sound did not decode than is accepted. */
function isMostlyDamaged(line: string): boolean {
  const [, decoded, failed] = decodedLine.exec(line) ?? []
  return decoded !== undefined && Number(failed) > maxErrorRate * (Number(decoded) + Number(failed))
}
