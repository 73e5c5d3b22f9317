import type * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { runChild } from './child.ts'
import {
  ffprobeAnswer,
  firstRotation,
  frameAnswer,
  frameEntries,
  headerDuration,
  isStill,
  probeEntries,
  readFacts,
} from './facts.ts'
import type { FfprobeAnswer, Found } from './facts.ts'
import { locateFfmpeg } from './locate.ts'
import { fileUrl, inputArgs, maxAlloc, runWithReports, safetyArgs } from './run.ts'

interface ProbeOptions {
  readonly signal?: AbortSignal | undefined
}

/** Time for reading headers or one frame. */
const quickMs = 60_000

/** Time for reading a whole file whose header does not tell its length: 20 GB at 50 MB/s and some. */
const wholeFileMs = 10 * 60_000

/** Facts of a media file. Throws 6017 when it is none, is damaged, or is of an unsupported format. */
export async function probe(path: string, options: ProbeOptions = {}): Promise<MediaFacts> {
  const { text, log } = await askFfprobe(path, ['-show_entries', probeEntries], options)
  const answer = parse(ffprobeAnswer, text)
  // Said of raw streams without an index (.aac, some .mp3); a guess can be far off.
  const guessed = /Estimating duration from bitrate/.test(log)
  const facts = readFacts(answer, await findMore(path, { answer, guessed }, options))
  if (!facts) throw new MediaError(6017, 'the file holds neither a picture nor sound')
  return facts
}

/** Looks beyond the header where that is not enough. */
async function findMore(
  path: string,
  { answer, guessed }: { answer: FfprobeAnswer; guessed: boolean },
  options: ProbeOptions,
): Promise<Found> {
  if (isStill(answer.format.format_name)) {
    const firstFrame = ['-read_intervals', '%+#1', '-show_entries', frameEntries]
    const [frame] = parse(frameAnswer, (await askFfprobe(path, firstFrame, options)).text).frames
    return { rotation: frame && firstRotation(frame) }
  }
  return guessed || headerDuration(answer) === undefined ? { durationMs: await measure(path, options) } : {}
}

/**
 * Decodes a frame of the video that is not a cover image: the first, or one from the keyframe before `atMs`;
 * throws 6021 when none decodes.
 */
export async function checkDecodable(
  path: string,
  options: ProbeOptions & { readonly atMs?: number } = {},
): Promise<void> {
  const seek = options.atMs === undefined ? [] : ['-noaccurate_seek', '-ss', (options.atMs / 1000).toFixed(3)]
  let frames = 0
  try {
    await runWithReports(
      {
        args: [...inputArgs(path, seek), '-map', '0:V:0', '-frames:v', '1', '-f', 'null', '-'],
        timeoutMs: quickMs,
        signal: options.signal,
      },
      (report) => (frames = report.frames),
    )
  } catch (error) {
    throw isOfFile(error) ? undecodable(error) : error
  }
  // ffmpeg 5 ends with success after reading a whole file without one decodable frame.
  if (frames < 1) throw undecodable()
}

function undecodable(cause?: unknown): MediaError {
  return new MediaError(6021, 'no frame of the video could be decoded', { cause })
}

/** Failures that the file explains, not the machine. */
function isOfFile(error: unknown): boolean {
  return error instanceof MediaError && error.code !== 6401
}

/** Largest answer taken from ffprobe, in bytes; one stream takes about 1 kB, and 100 are read. */
const largestAnswer = 2 ** 20

async function askFfprobe(
  path: string,
  question: readonly string[],
  options: ProbeOptions,
): Promise<{ text: string; log: string }> {
  const { ffprobe } = await locateFfmpeg()
  const tooLarge = new AbortController()
  const chunks: Buffer[] = []
  let bytes = 0
  const { code, timedOut, log } = await runChild({
    file: ffprobe,
    args: [
      ...['-hide_banner', '-loglevel', 'warning', '-max_alloc', maxAlloc, ...safetyArgs(path)],
      ...[...question, '-of', 'json=compact=1', '-i', fileUrl(path)],
    ],
    timeoutMs: quickMs,
    signal: options.signal ? AbortSignal.any([options.signal, tooLarge.signal]) : tooLarge.signal,
    onOutput: (chunk) => {
      bytes += chunk.length
      if (bytes <= largestAnswer) chunks.push(chunk)
      else tooLarge.abort(new MediaError(6017, 'the file describes more streams than are taken'))
    },
  })
  const cause = new Error(log)
  if (timedOut) throw new MediaError(6017, `the file could not be read within ${quickMs / 1000} s`, { cause })
  if (code !== 0)
    throw new MediaError(6017, 'the file could not be read as a supported media format', { cause })
  return { text: Buffer.concat(chunks).toString('utf8'), log }
}

function parse<T>(schema: z.ZodType<T>, text: string): T {
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    throw new MediaError(6017, 'the file describes itself in a way that makes no sense', { cause: error })
  }
}

/** Reads the whole file without decoding to learn its length. */
async function measure(path: string, options: ProbeOptions): Promise<number> {
  let durationMs = 0
  await runWithReports(
    {
      args: [...inputArgs(path), '-map', '0:V?', '-map', '0:a?', '-c', 'copy', '-f', 'null', '-'],
      timeoutMs: wholeFileMs,
      signal: options.signal,
    },
    (report) => (durationMs = Math.round(report.timeMs)),
  )
  if (durationMs <= 0)
    throw new MediaError(6017, 'the file does not tell its length and holds nothing to measure')
  return durationMs
}
