import { MediaError } from '../../contract/errors.ts'
import type { VideoFacts } from '../../contract/media-facts.ts'
import { type Clock, systemClock } from '../../platform/clock.ts'
import { alphaDecoder, fileTimes, fromKeyFrame } from './input-options.ts'
import { inputArgs, isInputError, runRaw } from './run.ts'

/** A time of a video, seconds, from which its picture is to be decoded. */
interface PictureTime {
  readonly video: VideoFacts
  readonly seconds: number
  readonly signal: AbortSignal | undefined
  /** Default: the clock of the machine. */
  readonly clock?: Clock
}

/** How to decode a picture. */
interface PictureInput {
  /** Whether the picture at the requested time can be decoded. Always true for opaque videos, which are not tried. */
  readonly isDecodable: boolean
  /** Input options that decode it, with its transparency, and everything after it. */
  readonly options: readonly string[]
}

/**
 * Returns how to decode the picture at a time in seconds and everything after it. If that picture cannot be decoded, the
 * options start with the first picture after it. Throws like `transparentSeekTime`.
 */
export async function pictureInput(path: string, time: PictureTime): Promise<PictureInput> {
  const from = await transparentSeekTime(path, time)
  const options = [...(await alphaDecoder(time.video)), ...fromKeyFrame(from ?? time.seconds, time.video)]
  return { isDecodable: from !== undefined, options }
}

/** Distance of the second attempt from the first, seconds. Each further attempt doubles it. */
const firstStepSeconds = 2

/** Time limit of all attempts together, ms. Each decodes up to the next key frame of the transparency after the time. */
const searchTimeoutMs = 60_000

/**
 * Returns the time to which to seek so that the picture at `seconds` is decoded, in seconds. It is earlier than that
 * time only for VP8 and VP9 with transparency: colour and transparency are coded as two streams, and a seek finds a key
 * frame of the colour alone. Returns undefined if the file has no picture that decodes at that time. Throws 6402 after
 * 60 s, the failures of the machine, and the reason of the signal.
 */
export async function transparentSeekTime(path: string, time: PictureTime): Promise<number | undefined> {
  const { video, seconds, clock = systemClock } = time
  const decoder = await alphaDecoder(video)
  if (decoder.length === 0) return seconds
  const deadline = clock.now() + searchTimeoutMs
  for (let distance = 0; ; distance = Math.max(firstStepSeconds, 2 * distance)) {
    const from = Math.max(0, seconds - distance)
    if (await decodesBy(path, { ...time, clock, decoder, from, deadline })) return from
    if (fromKeyFrame(from, video).length === 0) return undefined
  }
}

/** Largest error of a rounded time, seconds. */
const roundingSeconds = 1e-3

interface DecodesByOptions extends PictureTime {
  readonly clock: Clock
  readonly decoder: readonly string[]
  /** Time to which to seek, seconds. */
  readonly from: number
  /** Time of the clock after which no attempt runs. */
  readonly deadline: number
}

/** Returns whether a picture at or before `seconds` is decoded after a seek to `from`. */
async function decodesBy(path: string, options: DecodesByOptions): Promise<boolean> {
  const { video, seconds, from, decoder, signal, clock, deadline } = options
  const timeoutMs = deadline - clock.now()
  if (timeoutMs <= 0) throw searchTimeoutError(seconds)
  // A file may round the time of its first picture up.
  const end = Math.max(seconds, video.start_ms / 1000) + roundingSeconds
  const before = [...decoder, '-an', ...fromKeyFrame(from, video)]
  let bytes = 0
  try {
    await runRaw({
      args: [
        ...[...fileTimes, ...inputArgs(path, before), '-map', '0:V:0', '-frames:v', '1'],
        ...['-vf', `trim=end=${end.toFixed(6)},scale=2:2,format=gray`, '-f', 'rawvideo', 'pipe:1'],
      ],
      ...{ timeoutMs, signal, clock },
      onOutput: (chunk) => (bytes += chunk.length),
    })
  } catch (error) {
    signal?.throwIfAborted()
    if (clock.now() >= deadline) throw searchTimeoutError(seconds, error)
    // Failures of the machine say nothing about the file and are rethrown.
    if (!isInputError(error)) throw error
  }
  return bytes > 0
}

function searchTimeoutError(seconds: number, cause?: unknown): MediaError {
  return new MediaError(
    6402,
    `the picture at ${seconds.toFixed(1)} s was not decoded within ${searchTimeoutMs / 1000} s`,
    { cause, hint: 'Try again when the machine is less busy.' },
  )
}
