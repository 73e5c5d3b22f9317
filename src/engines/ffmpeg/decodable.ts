import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts, VideoFacts } from '../../contract/media-facts.ts'
import { pictureInput } from './alpha-seek.ts'
import {
  firstPicturesArgs,
  listWithFfprobe,
  parseFfprobe,
  type ProbeOptions,
  queryFfprobe,
} from './ffprobe.ts'
import { fileTimes } from './input-options.ts'
import { inputArgs, isInputError, runRaw } from './run.ts'
import { readLastPacketEnd } from './stream-ends.ts'

/**
 * Reads key frames of the first 120 s only. A recording that starts inside a group of pictures decodes from
 * its next key frame, within seconds. Decoding the frames before it takes long and yields nothing.
 */
const firstKeyFramesArgs: readonly string[] = [
  ...['-skip_frame', 'nokey'],
  ...['-select_streams', 'V:0', '-read_intervals', '%+120'],
]

/** Reads the first 30 s. A video with intra refresh has no key frames and decodes after one full refresh. */
const firstSecondsArgs: readonly string[] = ['-select_streams', 'V:0', '-read_intervals', '%+30']

/**
 * Decodes the first pictures of a video, ignoring cover images. Throws 6021 if none decodes and 6402 if the
 * machine takes too long for these few.
 */
export async function checkDecodable(path: string, options: ProbeOptions = {}): Promise<void> {
  try {
    for (const pictures of [firstPicturesArgs, firstKeyFramesArgs, firstSecondsArgs])
      if (await decodesAny(path, pictures, options)) return
  } catch (error) {
    throw isInputError(error) ? undecodable(error) : error
  }
  throw undecodable()
}

/** Returns whether any of the pictures decodes. Stops reading at the first decoded frame. */
async function decodesAny(
  path: string,
  pictures: readonly string[],
  { signal }: ProbeOptions,
): Promise<boolean> {
  const firstFrame = new AbortController()
  try {
    // Requests all frame fields, because ffprobe buffers its output until it has enough of it.
    await listWithFfprobe(path, [...pictures, '-show_entries', 'frame'], {
      signal: signal ? AbortSignal.any([signal, firstFrame.signal]) : firstFrame.signal,
      isBounded: true,
      onEntry([section]) {
        if (section === 'frame') firstFrame.abort()
      },
    })
  } catch (error) {
    if (!firstFrame.signal.aborted) throw error
  }
  return firstFrame.signal.aborted
}

function undecodable(cause?: unknown): MediaError {
  return new MediaError(6021, 'no frame of the video could be decoded', { cause })
}

/** A time span in a file, seconds. */
interface FileSpan {
  readonly from: number
  readonly to: number
}

/** A file and its probed facts. */
interface ProbedFile {
  readonly path: string
  readonly facts: Pick<MediaFacts, 'video' | 'audio'>
}

/**
 * Returns whether a span without pictures is intentional: no picture is coded in it, and the file continues
 * at least to its start. Returns false if pictures are damaged or the file is truncated. Decodes nothing.
 */
export async function isPictureGap(
  { path, facts }: ProbedFile,
  span: FileSpan,
  options: ProbeOptions,
): Promise<boolean> {
  try {
    if (await hasPictures(path, span, options)) return false
    return (await readLastPacketEnd(path, facts, options)) >= span.from * 1000
  } catch (error) {
    // The span contains too many packets to list.
    if (error instanceof MediaError && error.code === 6017) return true
    throw error
  }
}

interface HasPictureOptions {
  readonly video: VideoFacts
  readonly signal: AbortSignal
}

/** Time limit for decoding one picture of a span, ms. */
const pictureTimeoutMs = 60_000

/** Returns whether a picture within a span decodes. Throws 6402 if the machine takes too long for it. */
export async function hasPictureWithin(
  path: string,
  { from, to }: FileSpan,
  { video, signal }: HasPictureOptions,
): Promise<boolean> {
  const { options } = await pictureInput(path, { video, seconds: from, signal })
  const trim = `trim=start=${from.toFixed(6)}:end=${to.toFixed(6)}`
  let bytes = 0
  try {
    await runRaw({
      args: [
        ...[...fileTimes, ...inputArgs(path, ['-an', ...options]), '-map', '0:V:0', '-frames:v', '1'],
        ...['-vf', `${trim},scale=2:2,format=gray`, '-f', 'rawvideo', 'pipe:1'],
      ],
      ...{ timeoutMs: pictureTimeoutMs, signal },
      onOutput: (chunk) => (bytes += chunk.length),
    })
  } catch (error) {
    signal.throwIfAborted()
    if (!isInputError(error)) throw error
  }
  return bytes > 0
}

const picturePackets = z.object({
  format: z.object({ start_time: z.coerce.number().catch(0) }),
  packets: z
    .array(
      z.object({
        pts_time: z.coerce.number().optional(),
        size: z.coerce.number().default(0),
        flags: z.string().default(''),
      }),
    )
    .default([]),
})

/** Largest distance between storage order and display order of pictures, seconds. */
const reorderingSeconds = 1

/**
 * Returns whether a picture is coded in a span. An empty packet repeats the previous picture, and a packet that an edit list
 * excludes, flagged D, is no picture: ffmpeg 7 writes the last one of a variable rate so.
 */
async function hasPictures(path: string, { from, to }: FileSpan, options: ProbeOptions): Promise<boolean> {
  const readFrom = async (start: number) => {
    const interval = `${from + start}%${to + start + reorderingSeconds}`
    const args = ['-select_streams', 'V:0', '-show_entries', 'packet=pts_time,size,flags:format=start_time']
    const { text } = await queryFfprobe(path, [...args, '-read_intervals', interval], options)
    return parseFfprobe(picturePackets, text)
  }
  // Nearly all files start at 0, and the query itself returns the start.
  const assumed = await readFrom(0)
  const start = assumed.format.start_time
  const { packets } = start === 0 ? assumed : await readFrom(start)
  const [first, end] = [from + start, to + start]
  return packets.some(
    ({ pts_time = -Infinity, size, flags }) =>
      size > 0 && !flags.includes('D') && pts_time >= first && pts_time < end,
  )
}
