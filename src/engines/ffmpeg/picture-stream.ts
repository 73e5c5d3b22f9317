import * as z from 'zod'
import type { VideoFacts } from '../../contract/media-facts.ts'
import { firstPicturesArgs, parseFfprobe, type ProbeOptions, queryFfprobe } from './ffprobe.ts'
import { readPacketEnds } from './stream-ends.ts'

const knownName = z
  .string()
  .regex(/^[a-z\d-]{1,40}$/)
  .optional()
  .catch(undefined)

const colours = {
  color_range: knownName,
  color_space: knownName,
  color_transfer: knownName,
  color_primaries: knownName,
  chroma_location: knownName,
}

const sideDataSchema = z.object({
  side_data_list: z.array(z.object({ side_data_type: z.string().optional() })).default([]),
})

const pictureOutput = z.object({
  format: z.object({ start_time: z.coerce.number().catch(0) }),
  streams: z.array(sideDataSchema.extend({ ...colours, field_order: knownName })).min(1),
  frames: z
    .array(
      sideDataSchema.extend({
        ...colours,
        interlaced_frame: z.int().optional(),
        top_field_first: z.int().optional(),
      }),
    )
    .default([]),
})

const colourNames = Object.keys(colours).join(',')
const entries = [
  'format=start_time',
  `stream=field_order,${colourNames}`,
  `frame=interlaced_frame,top_field_first,${colourNames}`,
  'stream_side_data=side_data_type',
  'frame_side_data=side_data_type',
].join(':')

/** Properties of a picture stream that a faithful re-encoding requires. */
export interface PictureStream {
  /** Start of the file, in seconds of its own clock. */
  readonly start: number
  /** Duration from the start of the first picture to the end of the last, seconds. */
  readonly durationSeconds: number
  /** Colour tags by ffprobe's names. Missing tags are undefined. */
  readonly colour: {
    readonly range: string | undefined
    readonly matrix: string | undefined
    readonly transfer: string | undefined
    readonly primaries: string | undefined
    readonly chroma: string | undefined
  }
  /** The field shown first in an interlaced picture. */
  readonly interlaced: 'top' | 'bottom' | undefined
  /** Types of side data by ffprobe's names. Captions accompany every picture from the first on. */
  readonly sideDataTypes: readonly string[]
}

/** Where the search for the last pictures starts, in seconds before the end that the header states. */
const tailSeconds = 10

/** Reads timing and colour of a file's picture. Throws 6017. */
export async function pictureStream(
  path: string,
  video: VideoFacts,
  options: ProbeOptions,
): Promise<PictureStream> {
  const { text } = await queryFfprobe(path, [...firstPicturesArgs, '-show_entries', entries], options)
  const { format, streams, frames } = parseFfprobe(pictureOutput, text)
  const [[stream], [frame]] = [streams, frames]
  const startSeconds = format.start_time + video.start_ms / 1000
  const declaredSeconds = video.duration_ms / 1000
  const tail = `${Math.max(0, startSeconds + declaredSeconds - tailSeconds)}%`
  const last = await readPacketEnds(path, [tail], { ...options, stream: 'V:0' })
  const endSeconds = last.streams[0]?.endSeconds ?? startSeconds
  // The header of a stream that starts late contains less than its frames.
  const colour = (name: keyof typeof colours) => stream?.[name] ?? frame?.[name]
  return {
    start: format.start_time,
    durationSeconds: endSeconds > startSeconds ? endSeconds - startSeconds : declaredSeconds,
    colour: {
      range: colour('color_range'),
      matrix: colour('color_space'),
      transfer: colour('color_transfer'),
      primaries: colour('color_primaries'),
      chroma: colour('chroma_location'),
    },
    interlaced: shownFirst(stream?.field_order, frame),
    sideDataTypes: uniqueSideDataTypes([...streams, ...frames]),
  }
}

function uniqueSideDataTypes(all: readonly z.infer<typeof sideDataSchema>[]): string[] {
  const types = all.flatMap(({ side_data_list }) =>
    side_data_list.flatMap((side) => side.side_data_type ?? []),
  )
  return [...new Set(types)]
}

/**
 * First field by ffprobe's field orders. The letters name the field coded first and the field shown first.
 */
const fields: Readonly<Record<string, 'top' | 'bottom'>> = {
  tt: 'top',
  bt: 'top',
  bb: 'bottom',
  tb: 'bottom',
}

function shownFirst(order = 'unknown', frame: z.infer<typeof pictureOutput>['frames'][number] | undefined) {
  if (order !== 'unknown') return fields[order]
  if (frame?.interlaced_frame !== 1) return undefined
  return frame.top_field_first === 1 ? 'top' : 'bottom'
}
