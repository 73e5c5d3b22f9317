import type { Rational, VideoFacts } from '../../contract/media-facts.ts'
import type { Frame } from '../../media/clean/frame.ts'
import type { Area } from '../../media/clean/region.ts'
import { firstFrameIndex, frameTime, hertz } from '../../media/frame-rate.ts'
import type { PixelGrid } from '../../media/text/regions.ts'
import { pictureInput } from '../ffmpeg/alpha-seek.ts'
import { alignToFrames, alphaDecoder, fileTimes } from '../ffmpeg/input-options.ts'
import { streamOutput } from '../ffmpeg/stream-output.ts'
import { fixedSizeChunks } from '../../platform/streams.ts'
import { inputArgs } from '../ffmpeg/run.ts'

/** Options of `gridFrames`: rate, area of the picture, and output size with even sides. */
interface GridFrameOptions {
  readonly video: VideoFacts
  readonly rate: Rational
  /** First frame and number of frames of the file to read. Default: all. */
  readonly part?: { readonly first: number; readonly count: number } | undefined
  /** Yields only every such frame: frames 0, step, 2 step and so on. Default: 1. */
  readonly step?: number
  readonly area: Area
  readonly width: number
  readonly height: number
  readonly threads: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Yields the frames of an area of a video as displayed, in order, at a constant rate: frame k of the file is the one at
 * k / rate. The buffer is reused for the next frame. HDR is not tone-mapped, which dims the picture and keeps letters
 * legible.
 */
export async function* gridFrames(path: string, options: GridFrameOptions): AsyncGenerator<Frame> {
  const { video, rate, part, step = 1, area, width, height, threads, signal } = options
  const start = frameTime(part?.first ?? firstFrameIndex(video, rate), rate)
  const seek = part
    ? (await pictureInput(path, { video, seconds: start, signal })).options
    : await alphaDecoder(video)
  const filters = [
    ...alignToFrames(video, rate),
    `fps=fps=${rate.num}/${rate.den}:start_time=${start.toFixed(6)}`,
    ...(part ? [`trim=end_frame=${part.count}`] : []),
    ...(step === 1 ? [] : [`framestep=step=${step}`]),
    ...cropFilter(area),
    `scale=w=${width}:h=${height}:flags=area:out_color_matrix=bt709:out_range=tv`,
    'format=yuv420p',
  ].join(',')
  const before = [...seek, '-an', '-threads', String(threads)]
  const args = [
    ...fileTimes,
    ...inputArgs(path, before),
    ...[
      '-map',
      '0:V:0',
      '-vf',
      filters,
      ...(part ? ['-frames:v', String(Math.ceil(part.count / step))] : []),
    ],
    ...['-f', 'rawvideo', 'pipe:1'],
  ]
  const output = streamOutput({ args, signal, timeoutMs: decodeTimeoutMs(video.duration_ms) })
  const memory = new Uint8Array((width * height * 3) / 2)
  const pieces = fixedSizeChunks(memory.length, output, { rest: 'dropped', allocate: () => memory })
  for await (const bytes of pieces) yield { width, height, bytes }
}

/** Returns the filter that crops to an area, in whole pixels. */
function cropFilter({ x, y, w, h }: Area): string[] {
  if (x === 0 && y === 0 && w === 1 && h === 1) return []
  return [`crop=w=iw*${w.toFixed(6)}:h=ih*${h.toFixed(6)}:x=iw*${x.toFixed(6)}:y=ih*${y.toFixed(6)}:exact=1`]
}

/** Generous, for a busy machine; only ends a decoder that hangs. */
function decodeTimeoutMs(durationMs: number): number {
  return 10 * 60_000 + 60 * durationMs
}

/** Longest side of the searched frames, in pixels. */
const longestSide = 960

/** Samples per second of video. */
const samplesPerSecond = 2

/**
 * Duration of buffered frames, in seconds: from the third sample of a text back to before its start, with time for
 * pending detections. Above 60 fps only every second frame is buffered, so the ends of a text may be off by one frame.
 */
export const keptSeconds = 4
const mostKeptRate = 60

/** An average rate may slightly exceed the actual frame rate. */
const rateTolerance = 0.01

/** Returns the size in pixels at which to search an area of a video. */
export function textSearchGrid({ width, height }: VideoFacts, area: Area): Omit<PixelGrid, 'rate'> {
  const [across, down] = [width * area.w, height * area.h]
  const scale = Math.min(2, longestSide / Math.max(across, down))
  const even = (side: number) => Math.max(2, 2 * Math.round((side * scale) / 2))
  return { width: even(across), height: even(down), area }
}

/** Returns the interval of buffered frames. */
export function keptFrameStep(rate: Rational): number {
  return Math.max(1, Math.ceil(hertz(rate) / mostKeptRate - rateTolerance))
}

/** Returns the interval of samples in frames, a multiple of the interval of buffered frames. */
export function sampleStep(rate: Rational): number {
  const every = keptFrameStep(rate)
  return every * Math.max(1, Math.round(hertz(rate) / samplesPerSecond / every))
}
