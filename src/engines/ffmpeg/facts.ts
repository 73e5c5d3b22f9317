import type { AudioFacts, MediaFacts, VideoFacts } from '../../contract/media-facts.ts'
import {
  type FfprobeOutput,
  type FfprobeStream,
  firstRotation,
  isPictureStream,
  streamTag,
} from './ffprobe.ts'
import {
  displaySize,
  frameRates,
  isRateDoubtful,
  parseRatio,
  quarterTurn,
  sampleRatio,
} from './picture-facts.ts'
import { sourceTimecode } from './source-timecode.ts'

/** Measurements that the header does not provide. */
export interface Measurements {
  /** Duration found by reading the whole file, ms, if the header has none or only an estimate. */
  readonly durationMs?: number
  /** Number of pictures and end of the last one, ms, if the header's frame rate may be that of a clock. */
  readonly counted?: { readonly pictures: number; readonly endMs: number }
  /** Orientation of a still picture, degrees counter-clockwise. */
  readonly rotation?: number | undefined
}

/** Converts ffprobe output to facts. Returns undefined if the file has neither picture nor sound. */
export function readFacts(output: FfprobeOutput, measured: Measurements = {}): MediaFacts | undefined {
  const { format, streams } = output
  const still = isStill(format.format_name)
  const fileMs = still ? 0 : (measured.durationMs ?? headerDuration(output) ?? 0)
  const timesOf = (one: FfprobeStream) => {
    if (still) return { start_ms: 0, duration_ms: 0 }
    const start = streamStart(one, format)
    const own = measured.durationMs === undefined ? streamDuration(one, format) : undefined
    return { start_ms: start, duration_ms: own ?? Math.max(1, fileMs - start) }
  }
  const picture = streams.find(isPictureStream)
  const counted =
    picture &&
    measured.counted &&
    countedTimes(measured.counted, { start: streamStart(picture, format), fileMs })
  const sounds = streams.filter(({ codec_type }) => codec_type === 'audio')
  if (!picture && sounds.length === 0) return undefined
  const turn = measured.rotation ?? (picture && firstRotation(picture))
  const video = picture
    ? {
        ...videoFacts({ ...picture, ...counted?.rate }, { still, turn }),
        ...timesOf(picture),
        ...(counted && { duration_ms: counted.durationMs }),
      }
    : null
  const timecode = still ? undefined : sourceTimecode(output, video)
  return {
    container: format.format_name,
    duration_ms: fileMs,
    size: wholeNumber(format.size) ?? 0,
    bit_rate: still ? null : (wholeNumber(format.bit_rate) ?? null),
    ...(timecode && { timecode }),
    video,
    audio: sounds.map((sound) => ({ ...audioFacts(sound), ...timesOf(sound) })),
    subtitles: streams
      .filter(({ codec_type }) => codec_type === 'subtitle')
      .map((one) => ({ codec: one.codec_name, language: streamLanguage(one) })),
  }
}

/**
 * Returns the duration in ms and the frame rate of counted pictures. Sound may start earlier and end later.
 */
function countedTimes(
  { pictures, endMs }: NonNullable<Measurements['counted']>,
  { start, fileMs }: { readonly start: number; readonly fileMs: number },
) {
  // A single picture is shown for the whole duration of the file.
  const durationMs = Math.max(1, (pictures > 1 && endMs > start ? endMs : fileMs) - start)
  return { durationMs, rate: { avg_frame_rate: `${Math.max(1, pictures) * 1000}/${durationMs}` } }
}

/**
 * Returns whether a container is a single still picture. Still pictures have no duration and a frame rate of
 * 0/1.
 */
export function isStill(container: string): boolean {
  return container.endsWith('_pipe')
}

function videoFacts(
  one: FfprobeStream,
  { still, turn }: { still: boolean; turn: number | undefined },
): Omit<VideoFacts, 'start_ms' | 'duration_ms'> {
  const rotation = quarterTurn(turn)
  const ratio = sampleRatio(one.sample_aspect_ratio)
  // ffprobe's width and height already exclude the codec's block padding.
  const { width, height } = displaySize({ width: one.width, height: one.height, ratio, rotation })
  return {
    codec: one.codec_name,
    width,
    height,
    coded_width: one.width,
    coded_height: one.height,
    rotation,
    sample_aspect_ratio: ratio,
    ...(still ? { frame_rate: { num: 0, den: 1 }, variable_rate: false } : frameRates(one)),
    pixel_format: one.pix_fmt,
    color_space: one.color_space === 'unknown' ? undefined : one.color_space,
    hdr: one.color_transfer === 'smpte2084' || one.color_transfer === 'arib-std-b67',
    alpha: hasAlpha(one),
  }
}

/**
 * Returns whether pictures must be counted. An mp4's average rate comes from its sample table, which is
 * complete.
 */
export function needsFrameCount({ streams, format }: FfprobeOutput): boolean {
  const picture = streams.find(isPictureStream)
  if (!picture || isStill(format.format_name)) return false
  return (
    isRateDoubtful(picture) && !(format.format_name.startsWith('mov') && parseRatio(picture.avg_frame_rate))
  )
}

/** Pixel formats with transparency. A palette may contain transparent colours, so pal8 counts. */
const alphaFormats = /^(?:rgba|bgra|argb|abgr|yuva|ayuv|vuya|gbrap|ya\d|yaf|pal8)/

/** VP8 and VP9 store transparency separately from the picture, signalled by a container tag. */
function hasAlpha(one: FfprobeStream): boolean {
  return alphaFormats.test(one.pix_fmt) || streamTag(one, 'alpha_mode') === '1'
}

function audioFacts(one: FfprobeStream): Omit<AudioFacts, 'start_ms' | 'duration_ms'> {
  return {
    codec: one.codec_name,
    channels: one.channels,
    sample_rate: wholeNumber(one.sample_rate) ?? 0,
  }
}

function wholeNumber(text: string | undefined): number | undefined {
  return /^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined
}

function streamLanguage(one: FfprobeStream): string | null {
  const language = streamTag(one, 'language') ?? 'und'
  return /^[a-z]{2,3}(?:-[a-z\d]{2,8})*$/i.test(language) && language !== 'und' ? language : null
}

type Format = FfprobeOutput['format']

/** Longest plausible duration: 1000 hours, in ms. */
export const maxDurationMs = 1000 * 3600 * 1000

/**
 * Returns the duration in the header, ms: the container's, else that of its longest stream, else undefined.
 */
export function headerDuration({ format, streams }: FfprobeOutput): number | undefined {
  const own = streams.flatMap((one) => streamDuration(one, format) ?? [])
  return (
    endToDuration(milliseconds(format.duration), format) ?? (own.length > 0 ? Math.max(...own) : undefined)
  )
}

/**
 * Returns a stream's duration, ms: from the container, else from the tag in which Matroska writers store its
 * end.
 */
function streamDuration(one: FfprobeStream, format: Format): number | undefined {
  const [, hours, minutes, seconds] =
    /^(\d{1,4}):(\d\d):(\d\d(?:\.\d+)?)/.exec(streamTag(one, 'duration') ?? '') ?? []
  const tagged = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  const end = endToDuration(milliseconds(String(tagged)), format)
  return (
    milliseconds(one.duration) ??
    (end === undefined ? undefined : Math.max(1, end - streamStart(one, format)))
  )
}

/** Converts an end time to a duration, ms. Matroska and MP4 store the end, so a late start is subtracted. */
function endToDuration(endMs: number | undefined, format: Format): number | undefined {
  if (endMs === undefined || !/^(?:matroska|mov)/.test(format.format_name)) return endMs
  const length = endMs - (milliseconds(format.start_time) ?? 0)
  return length > 0 ? length : undefined
}

/** Returns when a stream starts, in ms from the start of the file. */
function streamStart({ start_time }: FfprobeStream, format: Format): number {
  const at = (seconds: string | undefined) => {
    const value = Math.round(Number(seconds) * 1000)
    return Math.abs(value) <= maxDurationMs ? value : 0
  }
  return start_time === undefined ? 0 : Math.max(0, at(start_time) - at(format.start_time))
}

function milliseconds(seconds: string | undefined): number | undefined {
  const value = Math.round(Number(seconds ?? NaN) * 1000)
  return value > 0 && value <= maxDurationMs ? value : undefined
}
