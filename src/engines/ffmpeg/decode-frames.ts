import type { Rational, VideoFacts } from '../../contract/media-facts.ts'
import { evenSize } from '../../media/clean/region.ts'
import { formatRate } from '../../media/frame-rate.ts'
import { uprightSize } from '../../media/geometry.ts'
import { type Frame, frameBytes } from '../../media/clean/frame.ts'
import { pictureInput } from './alpha-seek.ts'
import { blackFrames } from './black-frames.ts'
import { alignToFrames, fileTimes } from './input-options.ts'
import { bt709, toneMap } from './colour.ts'
import { streamOutput } from './stream-output.ts'
import { fixedSizeChunks } from '../../platform/streams.ts'
import type { PictureStream } from './picture-stream.ts'
import { inputArgs } from './run.ts'

/** A video whose picture is decoded frame by frame. */
export interface Footage {
  readonly path: string
  readonly video: VideoFacts
  readonly stream: Pick<PictureStream, 'colour' | 'interlaced'>
  /** Frames per second, evenly spaced. */
  readonly rate: Rational
}

/** Which frames to decode, and with how many threads. */
export interface FrameSelection {
  /** Index of the first frame, counted from the start of the file. */
  readonly first: number
  readonly count: number
  /** Keeps only the first of every `step` frames. Default: all. */
  readonly step?: number
  readonly threads: number
}

/** A selection whose decoding can be aborted. */
interface DecodeOptions extends FrameSelection {
  readonly signal: AbortSignal
}

interface DecodeFramesOptions extends DecodeOptions {
  readonly timeoutMs: number
  /** Returns memory for a frame, which may be reused. */
  readonly allocate?: () => Uint8Array<ArrayBuffer>
}

/**
 * Decodes frames of a video at a constant rate, rotated upright, as planar 8-bit 4:2:0. Samples already in
 * that format are not converted. Frame k shows the picture at k / rate seconds after the start of the file.
 * Yields fewer frames if the video ends first, and only every `step`-th frame if `step` is set.
 */
export async function* decodeFrames(footage: Footage, reading: DecodeFramesOptions): AsyncGenerator<Frame> {
  const { signal, timeoutMs, allocate } = reading
  const size = evenSize(uprightSize(footage.video))
  const output = streamOutput({
    args: [
      ...(await decodeArgs(footage, reading)),
      ...['-f', 'rawvideo', '-pix_fmt', pixelFormat(footage), 'pipe:1'],
    ],
    signal,
    timeoutMs,
  })
  const pieces = fixedSizeChunks(frameBytes(size), output, {
    rest: 'dropped',
    ...(allocate && { allocate }),
  })
  for await (const bytes of pieces) yield { ...size, bytes }
}

/**
 * Returns ffmpeg options that select frames like `decodeFrames`, for any output.
 *
 * @param filters additional filters applied to each frame
 */
export async function decodeArgs(
  footage: Footage,
  { first, count, step = 1, threads, signal }: DecodeOptions,
  filters: readonly string[] = [],
): Promise<string[]> {
  const { path, video, rate } = footage
  const { options } = await pictureInput(path, { video, seconds: (first * rate.den) / rate.num, signal })
  const input = inputArgs(path, ['-threads', String(threads), '-an', ...options])
  const passed = [...decodeFilters(footage, { first, count, step }), ...filters].join(',')
  // ffmpeg 7.1 drops the rate at setpts, and assumes another one for outputs of constant rate.
  const output = ['-map', '0:V:0', '-vf', passed, '-r', formatRate(rate), '-frames:v', String(count)]
  return [...fileTimes, ...input, ...output]
}

/** Returns the pixel format of decoded frames. */
export function pixelFormat(footage: Pick<Footage, 'video' | 'stream'>): 'yuv420p' | 'yuvj420p' {
  return isFullRange(footage) ? 'yuvj420p' : 'yuv420p'
}

/**
 * Returns whether decoded 4:2:0 samples use the full range 0 to 255, which must not be reduced to TV range.
 */
export function isFullRange({ video, stream }: Pick<Footage, 'video' | 'stream'>): boolean {
  if (video.hdr || !isYuv(video)) return false
  return video.pixel_format.startsWith('yuvj') || stream.colour.range === 'pc'
}

/** Returns whether the samples are luma and chroma rather than red, green and blue. */
export function isYuv({ pixel_format }: VideoFacts): boolean {
  return /^(yuv|nv|p0|gray)/.test(pixel_format)
}

function decodeFilters(
  footage: Footage,
  { first, count, step }: Record<'first' | 'count' | 'step', number>,
): string[] {
  const { video, rate } = footage
  const { width, height } = evenSize(uprightSize(video))
  const { num, den } = rate
  const start = ((first * den) / num).toFixed(6)
  return [
    ...alignToFrames(video, rate),
    `fps=fps=${num}/${den}:start_time=${start}:round=near`,
    ...(step === 1 ? [] : [String.raw`select=not(mod(n\,${step}))`]),
    `trim=end_frame=${count},setpts=N`,
    `crop=${width}:${height}:0:0`,
    ...(video.hdr ? toneMap : isYuv(video) ? [] : [rgbToBt709]),
    ...(video.alpha ? [compositeOverBlack(footage, count)] : []),
    ...sampleFilters(footage),
  ]
}

/** RGB sources are converted with BT.709. Sources with YUV samples keep their matrix, tagged or not. */
function sampleFilters(footage: Footage): string[] {
  const { video } = footage
  if (video.hdr) return ['format=yuv420p']
  return isYuv(video) ? [`format=${pixelFormat(footage)}`] : ['format=yuv420p', `setparams=${bt709}`]
}

/** Converts red, green and blue to YUV and keeps transparency. */
const rgbToBt709 = 'scale=out_color_matrix=bt709:out_range=tv'

/** Composites a transparent picture over black. */
function compositeOverBlack({ video, rate }: Footage, frames: number): string {
  const black = blackFrames({ ...evenSize(uprightSize(video)), rate, frames })
  return `format=yuva420p[t];${black}[b];[b][t]overlay=format=yuv420:shortest=1`
}
