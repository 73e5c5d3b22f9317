import * as z from 'zod'

const shortText = z.string().max(200)
const boundedCount = z.int().min(0).max(1_000_000)

const sideData = z.array(z.object({ rotation: z.number().optional() })).default([])

const ffprobeStream = z.object({
  codec_type: shortText.optional(),
  codec_name: shortText.default('unknown'),
  width: boundedCount.default(0),
  height: boundedCount.default(0),
  sample_aspect_ratio: shortText.optional(),
  pix_fmt: shortText.default('unknown'),
  color_space: shortText.optional(),
  color_transfer: shortText.optional(),
  field_order: shortText.optional(),
  r_frame_rate: shortText.optional(),
  avg_frame_rate: shortText.optional(),
  start_time: shortText.optional(),
  duration: shortText.optional(),
  channels: boundedCount.default(0),
  sample_rate: shortText.optional(),
  disposition: z.object({ attached_pic: z.int().optional() }).optional(),
  tags: z.record(shortText, z.string()).default({}),
  side_data_list: sideData,
})
export type FfprobeStream = z.infer<typeof ffprobeStream>

/** ffprobe's JSON output for `probeEntries` and `frameEntries`. The probed file may be hostile. */
export const ffprobeOutput = z.object({
  frames: z.array(z.object({ stream_index: z.int().optional(), side_data_list: sideData })).catch([]),
  streams: z.array(ffprobeStream).max(200).default([]),
  format: z.object({
    format_name: shortText,
    start_time: shortText.optional(),
    duration: shortText.optional(),
    size: shortText.optional(),
    bit_rate: shortText.optional(),
  }),
})
export type FfprobeOutput = z.infer<typeof ffprobeOutput>

/** The fields requested from ffprobe. Restricting them excludes tags of any size. */
export const probeEntries = [
  'format=format_name,start_time,duration,size,bit_rate',
  'stream=codec_type,codec_name,width,height,sample_aspect_ratio,pix_fmt,color_space,color_transfer,field_order,' +
    'r_frame_rate,avg_frame_rate,start_time,duration,channels,sample_rate',
  'stream_disposition=attached_pic',
  'stream_tags=language,alpha_mode,duration',
  'stream_side_data=rotation',
].join(':')

/**
 * The stream index and rotation of a frame. The decoder knows a photo's orientation, the container does not.
 */
export const frameEntries = 'frame=stream_index:frame_side_data=rotation'

/** Returns whether a stream is a picture and not a cover. A stream without a size cannot be shown. */
export function isPictureStream({ codec_type, disposition, width, height }: FfprobeStream): boolean {
  return codec_type === 'video' && disposition?.attached_pic !== 1 && width > 0 && height > 0
}

/** Returns whether a frame of the first picture stream that is not a cover was decoded. */
export function hasPictureFrame({ frames, streams }: FfprobeOutput): boolean {
  const picture = streams.findIndex(
    ({ codec_type, disposition }) => codec_type === 'video' && disposition?.attached_pic !== 1,
  )
  return frames.some(({ stream_index }) => stream_index === picture)
}

/** Returns the angle of the display matrix in the side data of a stream or frame. */
export function firstRotation({ side_data_list }: Pick<FfprobeStream, 'side_data_list'>): number | undefined {
  return side_data_list.find((side) => side.rotation !== undefined)?.rotation
}

/** Returns a tag of a stream. The case of tag names varies. */
export function streamTag({ tags }: Pick<FfprobeStream, 'tags'>, name: string): string | undefined {
  return Object.entries(tags).find(([key]) => key.toLowerCase() === name)?.[1]
}
