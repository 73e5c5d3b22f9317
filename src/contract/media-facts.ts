import * as z from 'zod'

/** A rate as an exact fraction, such as 30000/1001. */
export const rational = z.object({ num: z.int(), den: z.int() })
export type Rational = z.infer<typeof rational>

const videoFacts = z.object({
  codec: z.string(),
  width: z.int().describe('Displayed width in pixels, after rotation and sample aspect ratio'),
  height: z.int().describe('Displayed height in pixels, after rotation and sample aspect ratio'),
  coded_width: z.int(),
  coded_height: z.int(),
  rotation: z.int().describe('Clockwise degrees to turn the coded picture for display: 0, 90, 180, 270'),
  sample_aspect_ratio: rational,
  frame_rate: rational.describe('Average frames a second'),
  steady_rate: rational
    .optional()
    .describe(
      'Frames a second of frames that are evenly spaced; a last one that stays longer does not count',
    ),
  base_rate: rational
    .optional()
    .describe(
      'Of unevenly spaced frames: frames a second of the coarsest even spacing that the first of them fit',
    ),
  variable_rate: z.boolean().describe('Frame times are not evenly spaced, as far as the header tells'),
  start_ms: z.int().describe('When the first picture shows, counted from the start of the file'),
  duration_ms: z.int(),
  pixel_format: z.string(),
  color_space: z
    .string()
    .optional()
    .describe("ffprobe's name of the YUV matrix; absent when the file does not tell"),
  hdr: z.boolean(),
  alpha: z.boolean(),
  seek_ms: z
    .int()
    .optional()
    .describe('Mean way from the key frame where decoding has to begin to a time that is sought'),
})
export type VideoFacts = z.infer<typeof videoFacts>

const audioFacts = z.object({
  codec: z.string(),
  channels: z.int(),
  sample_rate: z.int().describe('Hz'),
  start_ms: z.int().describe('When it begins, counted from the start of the file'),
  duration_ms: z.int(),
})
export type AudioFacts = z.infer<typeof audioFacts>

/** What a probe tells of a media file. Times are milliseconds, rounded. */
export const mediaFacts = z.object({
  container: z.string().describe("ffprobe's name of the format"),
  duration_ms: z.int(),
  cut_off_ms: z
    .int()
    .optional()
    .describe('Where picture and sound end, of a file that was cut off before the end its header tells'),
  size: z.int().describe('Bytes'),
  bit_rate: z.int().nullable().describe('Bits a second'),
  video: videoFacts.nullable().describe('First picture stream that is not a cover image'),
  audio: z.array(audioFacts),
  subtitles: z.array(z.object({ codec: z.string(), language: z.string().nullable() })),
})
export type MediaFacts = z.infer<typeof mediaFacts>
