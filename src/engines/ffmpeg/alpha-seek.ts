import { MediaError } from '../../contract/errors.ts'
import type { VideoFacts } from '../../contract/media-facts.ts'
import { alphaDecoder, fileTimes, fromKeyFrame } from './input-options.ts'
import { inputArgs, runRaw } from './run.ts'

/** A time of a video, seconds, from which its picture is to be decoded. */
interface PictureTime {
  readonly video: VideoFacts
  readonly seconds: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Returns input options that decode the picture at a time in seconds, with its transparency, and everything after it.
 * If the picture at that time cannot be decoded, decoding starts with the first picture after it.
 */
export async function pictureInputOptions(path: string, time: PictureTime): Promise<string[]> {
  const from = (await transparentSeekTime(path, time)) ?? time.seconds
  return [...(await alphaDecoder(time.video)), ...fromKeyFrame(from, time.video)]
}

/** Distance of the second attempt from the first, seconds. Each further attempt doubles it. */
const firstStepSeconds = 2

/**
 * Returns the time to which to seek so that the picture at `seconds` is decoded, in seconds. It is earlier than that
 * time only for VP8 and VP9 with transparency: colour and transparency are coded as two streams, and a seek finds a key
 * frame of the colour alone. Returns undefined if the picture at that time cannot be decoded.
 */
export async function transparentSeekTime(path: string, time: PictureTime): Promise<number | undefined> {
  const { video, seconds } = time
  const decoder = await alphaDecoder(video)
  if (decoder.length === 0) return seconds
  for (let distance = 0; ; distance = Math.max(firstStepSeconds, 2 * distance)) {
    const from = Math.max(0, seconds - distance)
    if (await decodesBy(path, { ...time, decoder, from })) return from
    if (fromKeyFrame(from, video).length === 0) return undefined
  }
}

/** Largest error of a rounded time, seconds. */
const roundingSeconds = 1e-3

/** Time limit of one attempt, ms. It decodes up to the next key frame of the transparency after the time. */
const attemptTimeoutMs = 60_000

interface DecodesByOptions extends PictureTime {
  readonly decoder: readonly string[]
  /** Time to which to seek, seconds. */
  readonly from: number
}

/** Returns whether a picture at or before `seconds` is decoded after a seek to `from`. */
async function decodesBy(path: string, options: DecodesByOptions): Promise<boolean> {
  const { video, seconds, from, decoder, signal } = options
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
      timeoutMs: attemptTimeoutMs,
      signal,
      onOutput: (chunk) => (bytes += chunk.length),
    })
  } catch (error) {
    // A failure or a timeout means that nothing decodes here. Aborts are rethrown.
    if (!(error instanceof MediaError)) throw error
  }
  return bytes > 0
}
