import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { isStill, mustCount, readFacts, type Found } from './facts.ts'
import {
  ffprobeAnswer,
  firstRotation,
  frameAnswer,
  frameEntries,
  probeEntries,
  type FfprobeAnswer,
} from './ffprobe-answer.ts'
import { askFfprobe, listByFfprobe, parse, type ProbeOptions } from './ffprobe.ts'
import { firstPictures } from './first-pictures.ts'
import { withLateStreams } from './late-streams.ts'
import { isOfFile } from './of-file.ts'
import { inputArgs, runWithReports } from './run.ts'
import { headerDuration } from './stream-times.ts'

/** Time for reading a whole file whose header does not tell its length: 20 GB at 50 MB/s and some. */
const wholeFileMs = 10 * 60_000

/** Facts of a media file. Throws 6017 when it is none, is damaged, or is of an unsupported format. */
export async function probe(path: string, options: ProbeOptions = {}): Promise<MediaFacts> {
  const { text, log } = await askFfprobe(path, ['-show_entries', probeEntries], options)
  const answer = await withLateStreams(path, parse(ffprobeAnswer, text), options)
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
  const isUntold = guessed || headerDuration(answer) === undefined
  const isUncounted = mustCount(answer)
  if (!isUntold && !isUncounted) return {}
  const pictures = isUncounted ? await measure(path, ['0:V:0'], options) : undefined
  const isAlone =
    answer.streams.filter(({ codec_type = '' }) => /^(audio|video)$/.test(codec_type)).length === 1
  const whole = isUntold
    ? (isAlone && pictures) || (await measure(path, ['0:V?', '0:a?'], options))
    : undefined
  if (whole && whole.durationMs <= 0) {
    throw new MediaError(6017, 'the file does not tell its length and holds nothing to measure')
  }
  return {
    ...(whole && { durationMs: whole.durationMs }),
    ...(pictures && { counted: { pictures: pictures.frames, endMs: pictures.durationMs } }),
  }
}

/**
 * A recording that begins in the middle of a group of pictures decodes from the next key frame on: within s. What lies
 * between them is left out, as it takes long to decode and comes to nothing.
 */
const firstKeyFrames: readonly string[] = [
  ...['-skip_frame', 'nokey'],
  ...['-select_streams', 'V:0', '-read_intervals', '%+120'],
]

/** One that is refreshed bit by bit has no key frames: it decodes once all of its picture was refreshed. */
const firstMoments: readonly string[] = ['-select_streams', 'V:0', '-read_intervals', '%+30']

/**
 * Decodes the first pictures of a video that are no cover image; throws 6021 when none decodes, 6402 when the
 * machine takes too long for those few.
 */
export async function checkDecodable(path: string, options: ProbeOptions = {}): Promise<void> {
  try {
    for (const pictures of [firstPictures, firstKeyFrames, firstMoments])
      if (await decodes(path, pictures, options)) return
  } catch (error) {
    throw isOfFile(error) ? undecodable(error) : error
  }
  throw undecodable()
}

/** Whether one of the pictures decodes; reads no further than it is told of one. */
async function decodes(
  path: string,
  pictures: readonly string[],
  { signal }: ProbeOptions,
): Promise<boolean> {
  const told = new AbortController()
  try {
    // All of a frame is asked for: what is told is held back until there is enough of it.
    await listByFfprobe(path, [...pictures, '-show_entries', 'frame'], {
      signal: signal ? AbortSignal.any([signal, told.signal]) : told.signal,
      isBounded: true,
      onEntry([section]) {
        if (section === 'frame') told.abort()
      },
    })
  } catch (error) {
    if (!told.signal.aborted) throw error
  }
  return told.signal.aborted
}

function undecodable(cause?: unknown): MediaError {
  return new MediaError(6021, 'no frame of the video could be decoded', { cause })
}

/** Reads streams of a whole file without decoding to learn when they end, and how many pictures they have. */
async function measure(
  path: string,
  streams: readonly string[],
  options: ProbeOptions,
): Promise<{ readonly durationMs: number; readonly frames: number }> {
  let [durationMs, frames] = [0, 0]
  await runWithReports(
    {
      args: [
        ...[...inputArgs(path), ...streams.flatMap((one) => ['-map', one])],
        ...['-c', 'copy', '-f', 'null', '-'],
      ],
      timeoutMs: wholeFileMs,
      signal: options.signal,
    },
    (report) => {
      durationMs = Math.round(report.timeMs)
      frames = report.frames
    },
  )
  return { durationMs, frames }
}
