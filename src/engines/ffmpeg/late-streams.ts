import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { isPictureStream, type FfprobeOutput, type FfprobeStream } from './ffprobe-answer.ts'
import { queryFfprobe, parseFfprobe, type ProbeOptions } from './ffprobe.ts'
import { firstPicturesArgs } from './first-pictures.ts'

/** What begins late in a file is looked for so long in all; without it the file can be used all the same. */
const lateStreamsTimeoutMs = 10_000

/**
 * What ffprobe tells of a file, held against the first pictures and sounds of streams that it has not seen in its look
 * at the beginning, as they begin late or are too short: Matroska files do not tell where streams begin, and ffprobe
 * then says that they begin and last as the file does.
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
  // The picture first: more hangs on it.
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

/** A Matroska stream has no length but in a tag. Where the file tells none either, one has no beginning. */
function lacksTimes({ duration, start_time }: FfprobeStream): boolean {
  return duration !== undefined || start_time === undefined
}

/** What is found; nothing where that takes too long or too much memory, or the file is damaged before it. */
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

/** A sound with the time of its first packet. */
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

/** A picture as its first frame is; none that decodes leaves it as it was told. */
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
