import * as z from 'zod'
import type { VideoFacts } from '../../contract/media-facts.ts'
import { askFfprobe, parse, type ProbeOptions } from './ffprobe.ts'

const known = z
  .string()
  .regex(/^[a-z\d-]{1,40}$/)
  .optional()
  .catch(undefined)

const seconds = z.coerce.number().catch(0)

const answer = z.object({
  streams: z
    .array(
      z.object({
        start_time: seconds.default(0),
        color_range: known,
        color_space: known,
        color_transfer: known,
        color_primaries: known,
        chroma_location: known,
        field_order: known,
      }),
    )
    .min(1),
  format: z.object({ start_time: seconds }),
})

const packets = z.object({
  packets: z
    .array(z.object({ pts_time: z.coerce.number().optional(), duration_time: seconds.default(0) }))
    .default([]),
})

/** What of a video's picture stream is needed to code it again as it is. */
export interface PictureStream {
  /** When the first picture shows, s from the start of the file. */
  readonly start: number
  /** From the start of the first picture to the end of the last, s. */
  readonly lasts: number
  /** By ffprobe's names; what is not told is left out. */
  readonly colour: {
    readonly range: string | undefined
    readonly matrix: string | undefined
    readonly transfer: string | undefined
    readonly primaries: string | undefined
    readonly chroma: string | undefined
  }
  /** Which field is shown first, of an interlaced picture. */
  readonly interlaced: 'top' | 'bottom' | undefined
}

/** How far before the end that the header tells the last pictures are looked for, s. */
const tail = 10

/** Reads how a file's picture is timed and coloured. Throws 6017. */
export async function pictureStream(
  path: string,
  video: VideoFacts,
  options: ProbeOptions,
): Promise<PictureStream> {
  const ask = async (question: readonly string[]) =>
    (await askFfprobe(path, ['-select_streams', 'V:0', ...question], options)).text
  const entries =
    'stream=start_time,color_range,color_space,color_transfer,color_primaries,chroma_location,field_order' +
    ':format=start_time'
  const { streams, format } = parse(answer, await ask(['-show_entries', entries]))
  const [stream] = streams
  const end = async (from: number) => {
    const question = ['-read_intervals', `${from}%`, '-show_entries', 'packet=pts_time,duration_time']
    const found = parse(packets, await ask(question))
    return Math.max(
      ...found.packets.map(({ pts_time = -Infinity, duration_time }) => pts_time + duration_time),
    )
  }
  const first = stream?.start_time ?? 0
  const told = video.duration_ms / 1000
  const last = await end(Math.max(0, first + told - tail))
  return {
    start: first - format.start_time,
    lasts: Number.isFinite(last) && last > first ? last - first : told,
    colour: {
      range: stream?.color_range,
      matrix: stream?.color_space,
      transfer: stream?.color_transfer,
      primaries: stream?.color_primaries,
      chroma: stream?.chroma_location,
    },
    interlaced: fields[stream?.field_order ?? ''],
  }
}

/** By ffprobe's names: coded and shown in this order. */
const fields: Readonly<Record<string, 'top' | 'bottom'>> = {
  tt: 'top',
  bt: 'top',
  bb: 'bottom',
  tb: 'bottom',
}
