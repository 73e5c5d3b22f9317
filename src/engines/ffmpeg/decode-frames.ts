import type { Rational, VideoFacts } from '../../contract/media-facts.ts'
import { evenSize } from '../../media/clean/region.ts'
import { type Frame, frameBytes } from '../../media/clean/frame.ts'
import { alphaDecoder } from './alpha-decoder.ts'
import { bt709, toneMap } from './colour.ts'
import { alignToFrames } from './grid.ts'
import { fixedSizeChunks, streamOutput } from './output.ts'
import type { PictureStream } from './picture-stream.ts'
import { inputArgs } from './run.ts'
import { fileTimes, fromKeyFrame } from './seek.ts'

/** A video's picture as it is read frame by frame. */
export interface Footage {
  readonly path: string
  readonly video: VideoFacts
  readonly stream: Pick<PictureStream, 'colour' | 'interlaced'>
  /** Frames a second, evenly spaced. */
  readonly rate: Rational
}

/** Which frames are read, by so many threads. */
export interface FrameSelection {
  /** Counted from the start of the file. */
  readonly first: number
  readonly count: number
  /** Of so many frames the first comes; all where it is left out. */
  readonly step?: number
  readonly threads: number
}

interface DecodeFramesOptions extends FrameSelection {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Memory for a frame that may be used again. */
  readonly allocate?: () => Uint8Array<ArrayBuffer>
}

/** Sides in samples of the picture as it stands, turned upright; a side may be odd. */
export function uprightSize({ coded_width, coded_height, rotation }: VideoFacts) {
  const isTurned = rotation % 180 !== 0
  return isTurned
    ? { width: coded_height, height: coded_width }
    : { width: coded_width, height: coded_height }
}

/**
 * Frames of a video at a constant rate, upright, as 8-bit 4:2:0: samples that are so already stay as they are. Frame k
 * is the picture that shows k / rate after the start of the file; fewer come where the video ends, and with a `step` only
 * one of so many.
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
 * Options of an ffmpeg that takes frames as `decodeFrames` does, for whatever becomes of them.
 *
 * @param filters further ones that they pass
 */
export async function decodeArgs(
  footage: Footage,
  { first, count, step = 1, threads }: FrameSelection,
  filters: readonly string[] = [],
): Promise<string[]> {
  const { path, video, rate } = footage
  const input = inputArgs(path, [
    ...(await alphaDecoder(video)),
    ...['-threads', String(threads), '-an'],
    ...fromKeyFrame((first * rate.den) / rate.num, video),
  ])
  const passed = [...decodeFilters(footage, { first, count, step }), ...filters].join(',')
  return [...fileTimes, ...input, '-map', '0:V:0', '-vf', passed, '-frames:v', String(count)]
}

/** The format of the samples that frames of this picture have. */
export function pixelFormat(footage: Pick<Footage, 'video' | 'stream'>): 'yuv420p' | 'yuvj420p' {
  return isFullRange(footage) ? 'yuvj420p' : 'yuv420p'
}

/** 4:2:0 samples of all values, which must not be squeezed into those of television. */
export function isFullRange({ video, stream }: Pick<Footage, 'video' | 'stream'>): boolean {
  if (video.hdr || !isYuv(video)) return false
  return video.pixel_format.startsWith('yuvj') || stream.colour.range === 'pc'
}

/** Whether its samples are brightness and colour, as video is coded, rather than red, green and blue. */
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
    ...(video.alpha ? [compositeOverBlack(video, rate)] : []),
    ...sampleFilters(footage),
  ]
}

/** Whole pixels are coded by BT.709; what has a matrix already keeps it, as has what tells none. */
function sampleFilters(footage: Footage): string[] {
  const { video } = footage
  if (video.hdr) return ['format=yuv420p']
  return isYuv(video) ? [`format=${pixelFormat(footage)}`] : ['format=yuv420p', `setparams=${bt709}`]
}

/** From red, green and blue, transparency stays. */
const rgbToBt709 = 'scale=out_color_matrix=bt709:out_range=tv'

/** Lays a transparent picture over black. */
function compositeOverBlack(video: VideoFacts, { num, den }: Rational): string {
  const { width, height } = evenSize(uprightSize(video))
  const black = `color=black:size=${width}x${height}:rate=${num}/${den},format=yuv420p`
  return `format=yuva420p[t];${black}[b];[b][t]overlay=format=yuv420:shortest=1`
}
