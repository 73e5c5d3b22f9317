import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { isPictureStream, type FfprobeOutput, type FfprobeStream } from './ffprobe-answer.ts'
import { queryFfprobe, parseFfprobe, type ProbeOptions } from './ffprobe.ts'
import { firstPicturesArgs } from './first-pictures.ts'

/** Total time limit for locating late streams, ms. The file is usable without the result. */
const lateStreamsTimeoutMs = 10_000

/**
 * Completes ffprobe's output with the start times of streams that start late or are very short. Matroska
 * files do not store when a stream starts. ffprobe then reports the start and duration of the file for
 * streams that it did not see in its initial analysis.
 */
export async function addLateStreams(
  path: string,
  answer: FfprobeOutput,
  options: ProbeOptions,
): Promise<FfprobeOutput> {
  if (!answer.format.format_name.startsWith('matroska')) return answer
  const { streams } = answer
  const picture = streams.find(isPictureStream)
  const sounds = streams.filter(({ codec_type }) => codec_type === 'audio')
  const patience = AbortSignal.timeout(lateStreamsTimeoutMs)
  const seen = new Map<FfprobeStream, FfprobeStream>()
  // The picture comes first because it matters more.
  for (const one of [...(picture ? [picture] : []), ...sounds].filter(lacksTimes)) {
    const found = await orTimeout({ ...options, patience }, (signal) =>
      one === picture
        ? locatePicture(path, one, { signal })
        : locateSound(path, { one, index: streams.indexOf(one) }, { signal }),
    )
    seen.set(one, found ?? one)
  }
  return { ...answer, streams: streams.map((one) => seen.get(one) ?? one) }
}

/**
 * Returns whether ffprobe's times of a stream are unreliable. A Matroska stream has its duration only in a
 * tag, so a duration field is copied from the file. If the file has none either, the start time is missing.
 */
function lacksTimes({ duration, start_time }: FfprobeStream): boolean {
  return duration !== undefined || start_time === undefined
}

/**
 * Returns the result of a search, or undefined if it takes too long or too much memory, or if the file is
 * damaged.
 */
async function orTimeout<T>(
  { signal, patience }: ProbeOptions & { readonly patience: AbortSignal },
  search: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await search(signal ? AbortSignal.any([signal, patience]) : patience)
  } catch (error) {
    const isUnread = error instanceof MediaError && [6017, 6402].includes(error.code)
    if (!isUnread && error !== patience.reason) throw error
    return undefined
  }
}

function withStart(one: FfprobeStream, begins: string | undefined): FfprobeStream {
  return begins === undefined ? one : { ...one, start_time: begins, duration: undefined }
}

const soundPackets = z.object({ packets: z.array(z.object({ pts_time: z.string().optional() })).default([]) })

/** Returns an audio stream with the time of its first packet. */
async function locateSound(
  path: string,
  { one, index }: { readonly one: FfprobeStream; readonly index: number },
  options: ProbeOptions,
): Promise<FfprobeStream> {
  const question = ['-select_streams', String(index), '-read_intervals', '%+#1']
  const { text } = await queryFfprobe(path, [...question, '-show_entries', 'packet=pts_time'], options)
  return withStart(one, parseFfprobe(soundPackets, text).packets[0]?.pts_time)
}

const pictureFrames = z.object({
  frames: z
    .array(
      z.object({
        best_effort_timestamp_time: z.string().optional(),
        pix_fmt: z.string().optional(),
        color_space: z.string().optional(),
        color_transfer: z.string().optional(),
      }),
    )
    .default([]),
})

/** Returns a picture stream with the time and format of its first frame, or unchanged if no frame decodes. */
async function locatePicture(
  path: string,
  one: FfprobeStream,
  options: ProbeOptions,
): Promise<FfprobeStream> {
  const entries = 'frame=best_effort_timestamp_time,pix_fmt,color_space,color_transfer'
  const { text } = await queryFfprobe(path, [...firstPicturesArgs, '-show_entries', entries], options)
  const [{ best_effort_timestamp_time: begins, ...samples } = {}] = parseFfprobe(pictureFrames, text).frames
  return begins === undefined ? one : { ...withStart(one, begins), ...samples }
}
