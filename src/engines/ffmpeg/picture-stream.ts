import * as z from 'zod'
import type { VideoFacts } from '../../contract/media-facts.ts'
import { askFfprobe, parse, type ProbeOptions } from './ffprobe.ts'
import { packetEnds } from './packet-ends.ts'

const known = z
  .string()
  .regex(/^[a-z\d-]{1,40}$/)
  .optional()
  .catch(undefined)

const answer = z.object({
  streams: z
    .array(
      z.object({
        start_time: z.coerce.number().catch(0),
        color_range: known,
        color_space: known,
        color_transfer: known,
        color_primaries: known,
        chroma_location: known,
        field_order: known,
      }),
    )
    .min(1),
})

/** What of a video's picture stream is needed to code it again as it is. */
export interface PictureStream {
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
const tailSeconds = 10

/** Reads how a file's picture is timed and coloured. Throws 6017. */
export async function pictureStream(
  path: string,
  video: VideoFacts,
  options: ProbeOptions,
): Promise<PictureStream> {
  const entries =
    'stream=start_time,color_range,color_space,color_transfer,color_primaries,chroma_location,field_order'
  const question = ['-select_streams', 'V:0', '-show_entries', entries]
  const [stream] = parse(answer, (await askFfprobe(path, question, options)).text).streams
  const begins = stream?.start_time ?? 0
  const told = video.duration_ms / 1000
  const tail = `${Math.max(0, begins + told - tailSeconds)}%`
  const { streams } = await packetEnds(path, [tail], { ...options, stream: 'V:0' })
  const ends = streams[0]?.ends ?? begins
  return {
    lasts: ends > begins ? ends - begins : told,
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
