import * as z from 'zod'
import type { AudioFacts, MediaFacts, VideoFacts } from '../../contract/media-facts.ts'
import { isDoubtful, ratesOf } from './frame-rate.ts'
import { displaySize, parseRatio, quarterTurn, sampleRatio } from './geometry.ts'

const word = z.string().max(200)
const count = z.int().min(0).max(1_000_000)

const sideData = z.array(z.object({ rotation: z.number().optional() })).default([])

const stream = z.object({
  codec_type: word.optional(),
  codec_name: word.default('unknown'),
  width: count.default(0),
  height: count.default(0),
  sample_aspect_ratio: word.optional(),
  pix_fmt: word.default('unknown'),
  color_space: word.optional(),
  color_transfer: word.optional(),
  field_order: word.optional(),
  r_frame_rate: word.optional(),
  avg_frame_rate: word.optional(),
  start_time: word.optional(),
  duration: word.optional(),
  channels: count.default(0),
  sample_rate: word.optional(),
  disposition: z.object({ attached_pic: z.int().optional() }).optional(),
  tags: z.record(word, z.string()).default({}),
  side_data_list: sideData,
})
type Stream = z.infer<typeof stream>

/** What ffprobe prints with `probeEntries` as JSON; the file behind it may be hostile. */
export const ffprobeAnswer = z.object({
  streams: z.array(stream).max(200).default([]),
  format: z.object({
    format_name: word,
    start_time: word.optional(),
    duration: word.optional(),
    size: word.optional(),
    bit_rate: word.optional(),
  }),
})
export type FfprobeAnswer = z.infer<typeof ffprobeAnswer>

/** The part of ffprobe's knowledge that is asked for, so that tags of any size stay out. */
export const probeEntries = [
  'format=format_name,start_time,duration,size,bit_rate',
  'stream=codec_type,codec_name,width,height,sample_aspect_ratio,pix_fmt,color_space,color_transfer,field_order,' +
    'r_frame_rate,avg_frame_rate,start_time,duration,channels,sample_rate',
  'stream_disposition=attached_pic',
  'stream_tags=language,alpha_mode,duration',
  'stream_side_data=rotation',
].join(':')

/** What ffprobe prints of a still picture's only frame with `frameEntries`. */
export const frameAnswer = z.object({
  frames: z
    .array(z.object({ side_data_list: sideData }))
    .max(10)
    .default([]),
})

/** A photo's orientation is known to the decoder, not to the container. */
export const frameEntries = 'frame_side_data=rotation'

/** What had to be found beyond the header. */
export interface Found {
  /** Length by reading the whole file, where the header does not tell it or only guesses, in ms. */
  readonly durationMs?: number
  /** How many pictures there are, and when the last one ends, ms, where the header may tell the ticks of a clock instead. */
  readonly counted?: { readonly pictures: number; readonly endMs: number }
  /** A still picture's orientation, in counter-clockwise degrees. */
  readonly rotation?: number | undefined
}

/** Turns ffprobe's answer into facts; undefined when there is neither a picture nor sound. */
export function readFacts(answer: FfprobeAnswer, found: Found = {}): MediaFacts | undefined {
  const { format, streams } = answer
  const still = isStill(format.format_name)
  const wholeMs = still ? 0 : (found.durationMs ?? headerDuration(answer) ?? 0)
  const lasts = (one: Stream) => {
    if (still) return 0
    const own = found.durationMs === undefined ? ownDuration(one, format) : undefined
    return own ?? Math.max(1, wholeMs - startOf(one, format))
  }
  const picture = streams.find(isPicture)
  const counted =
    picture && found.counted && countedTimes(found.counted, { start: startOf(picture, format), wholeMs })
  const sounds = streams.filter(({ codec_type }) => codec_type === 'audio')
  if (!picture && sounds.length === 0) return undefined
  const turn = found.rotation ?? (picture && firstRotation(picture))
  return {
    container: format.format_name,
    duration_ms: wholeMs,
    size: wholeNumber(format.size) ?? 0,
    bit_rate: still ? null : (wholeNumber(format.bit_rate) ?? null),
    video: picture
      ? {
          ...videoFacts({ ...picture, ...counted?.rate }, { still, turn }),
          start_ms: still ? 0 : startOf(picture, format),
          duration_ms: counted?.lasts ?? lasts(picture),
        }
      : null,
    audio: sounds.map((sound) => audioFacts(sound, lasts(sound))),
    subtitles: streams
      .filter(({ codec_type }) => codec_type === 'subtitle')
      .map(({ codec_name, tags }) => ({ codec: codec_name, language: languageOf(tags) })),
  }
}

/** Of pictures that were counted the length, and the rate in that time: sound may begin earlier and go on longer. */
function countedTimes(
  { pictures, endMs }: NonNullable<Found['counted']>,
  { start, wholeMs }: { readonly start: number; readonly wholeMs: number },
) {
  // One alone stands for as long as the file lasts.
  const lasts = Math.max(1, (pictures > 1 && endMs > start ? endMs : wholeMs) - start)
  return { lasts, rate: { avg_frame_rate: `${Math.max(1, pictures) * 1000}/${lasts}` } }
}

/** The display matrix's angle among the side data of a stream or frame. */
export function firstRotation({ side_data_list }: Pick<Stream, 'side_data_list'>): number | undefined {
  return side_data_list.find((side) => side.rotation !== undefined)?.rotation
}

/** Length by the header, in ms: the container's, else its longest stream's; undefined when it tells none. */
export function headerDuration({ format, streams }: FfprobeAnswer): number | undefined {
  const own = streams.flatMap((one) => ownDuration(one, format) ?? [])
  return fromStart(milliseconds(format.duration), format) ?? (own.length > 0 ? Math.max(...own) : undefined)
}

/** Matroska and MP4 tell when they end; what begins later, as parts of a recording do, is shorter by that. */
function fromStart(endMs: number | undefined, format: FfprobeAnswer['format']): number | undefined {
  if (endMs === undefined || !/^(?:matroska|mov)/.test(format.format_name)) return endMs
  const length = endMs - (milliseconds(format.start_time) ?? 0)
  return length > 0 ? length : undefined
}

/** Whether a container holds one still picture; those have no length and no frame rate (0/1). */
export function isStill(container: string): boolean {
  return container.endsWith('_pipe')
}

/** A picture stream that is not a cover; one without a size cannot be shown. */
function isPicture({ codec_type, disposition, width, height }: Stream): boolean {
  return codec_type === 'video' && disposition?.attached_pic !== 1 && width > 0 && height > 0
}

function videoFacts(
  one: Stream,
  { still, turn }: { still: boolean; turn: number | undefined },
): Omit<VideoFacts, 'start_ms' | 'duration_ms'> {
  const rotation = quarterTurn(turn)
  const ratio = sampleRatio(one.sample_aspect_ratio)
  // ffprobe's width and height are already without the codec's padding to whole blocks.
  const { width, height } = displaySize({ width: one.width, height: one.height, ratio, rotation })
  return {
    codec: one.codec_name,
    width,
    height,
    coded_width: one.width,
    coded_height: one.height,
    rotation,
    sample_aspect_ratio: ratio,
    ...(still ? { frame_rate: { num: 0, den: 1 }, variable_rate: false } : ratesOf(one)),
    pixel_format: one.pix_fmt,
    color_space: one.color_space === 'unknown' ? undefined : one.color_space,
    hdr: one.color_transfer === 'smpte2084' || one.color_transfer === 'arib-std-b67',
    alpha: hasAlpha(one),
  }
}

/** Whether pictures are counted: an mp4's average is that of its table, which lists them all. */
export function mustCount({ streams, format }: FfprobeAnswer): boolean {
  const picture = streams.find(isPicture)
  if (!picture || isStill(format.format_name)) return false
  return isDoubtful(picture) && !(format.format_name.startsWith('mov') && parseRatio(picture.avg_frame_rate))
}

/** Pixel formats with transparency; a palette may hold transparent colours, so it counts. */
const alphaFormats = /^(?:rgba|bgra|argb|abgr|yuva|ayuv|vuya|gbrap|ya\d|yaf|pal8)/

/** VP8 and VP9 keep transparency beside the picture, told by a tag of the container. */
function hasAlpha({ pix_fmt, tags }: Stream): boolean {
  return alphaFormats.test(pix_fmt) || tagOf(tags, 'alpha_mode') === '1'
}

function audioFacts(one: Stream, durationMs: number): AudioFacts {
  return {
    codec: one.codec_name,
    channels: one.channels,
    sample_rate: wholeNumber(one.sample_rate) ?? 0,
    duration_ms: durationMs,
  }
}

/** A stream's own length: of the container's table, else by the tag in which Matroska writers tell its end. */
function ownDuration(one: Stream, format: FfprobeAnswer['format']): number | undefined {
  const { duration, tags } = one
  const [, hours, minutes, seconds] =
    /^(\d{1,4}):(\d\d):(\d\d(?:\.\d+)?)/.exec(tagOf(tags, 'duration') ?? '') ?? []
  const tagged = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  const end = fromStart(milliseconds(String(tagged)), format)
  return milliseconds(duration) ?? (end === undefined ? undefined : Math.max(1, end - startOf(one, format)))
}

/** When a stream begins, in ms from the start of the file. */
function startOf({ start_time }: Stream, format: FfprobeAnswer['format']): number {
  const at = (seconds: string | undefined) => {
    const value = Math.round(Number(seconds) * 1000)
    return Math.abs(value) <= longestMs ? value : 0
  }
  return start_time === undefined ? 0 : Math.max(0, at(start_time) - at(format.start_time))
}

/** Longest believable length: 1000 hours, in ms. */
export const longestMs = 1000 * 3600 * 1000

function milliseconds(seconds: string | undefined): number | undefined {
  const value = Math.round(Number(seconds ?? NaN) * 1000)
  return value > 0 && value <= longestMs ? value : undefined
}

function wholeNumber(text: string | undefined): number | undefined {
  return /^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined
}

function languageOf(tags: Stream['tags']): string | null {
  const language = tagOf(tags, 'language') ?? 'und'
  return /^[a-z]{2,3}(?:-[a-z\d]{2,8})*$/i.test(language) && language !== 'und' ? language : null
}

/** Tags are written in either case. */
function tagOf(tags: Stream['tags'], name: string): string | undefined {
  return Object.entries(tags).find(([key]) => key.toLowerCase() === name)?.[1]
}
