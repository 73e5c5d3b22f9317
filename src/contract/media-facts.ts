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
    .describe('Frame rate of evenly spaced frames; a longer last frame is ignored'),
  base_rate: rational
    .optional()
    .describe('For unevenly spaced frames: rate of the coarsest even spacing that fits the first frames'),
  variable_rate: z.boolean().describe('Frame times are not evenly spaced, according to the header'),
  start_ms: z.int().describe('Time of the first picture from the start of the file'),
  duration_ms: z.int(),
  pixel_format: z.string(),
  color_space: z
    .string()
    .optional()
    .describe("ffprobe's name of the YUV matrix; absent when the file does not specify it"),
  hdr: z.boolean(),
  alpha: z.boolean(),
  seek_ms: z
    .int()
    .optional()
    .describe('Mean time from the key frame where decoding must start to the time of a seek'),
})
export type VideoFacts = z.infer<typeof videoFacts>

const audioFacts = z.object({
  codec: z.string(),
  channels: z.int(),
  sample_rate: z.int().describe('Hz'),
  start_ms: z.int().describe('Start time from the start of the file'),
  duration_ms: z.int(),
})
export type AudioFacts = z.infer<typeof audioFacts>

const sourceTimecode = z.object({
  text: z.string().describe('As in the file, such as 01:00:00;02'),
  drop_frame: z.boolean().describe('Whether it skips frame numbers to follow the clock'),
  rate: rational
    .optional()
    .describe('Frames a second that it counts; absent when the file does not state it'),
})

/** Result of probing a media file. Times are milliseconds, rounded. */
export const mediaFacts = z.object({
  container: z.string().describe("ffprobe's name of the format"),
  duration_ms: z.int(),
  cut_off_ms: z
    .int()
    .optional()
    .describe(
      'Actual end of picture and sound in a file that is truncated before the end its header declares',
    ),
  size: z.int().describe('Bytes'),
  bit_rate: z.int().nullable().describe('Bits a second'),
  timecode: sourceTimecode.optional().describe('Source timecode of the first frame, if the file states one'),
  video: videoFacts.nullable().describe('First picture stream that is not a cover image'),
  audio: z.array(audioFacts),
  subtitles: z.array(z.object({ codec: z.string(), language: z.string().nullable() })),
})
export type MediaFacts = z.infer<typeof mediaFacts>
