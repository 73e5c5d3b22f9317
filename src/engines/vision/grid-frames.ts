import type { Rational, VideoFacts } from '../../contract/media-facts.ts'
import type { Frame } from '../../media/clean/frame.ts'
import type { Area } from '../../media/clean/region.ts'
import { firstFrameIndex, hertz } from '../../media/frame-rate.ts'
import type { PixelGrid } from '../../media/text/regions.ts'
import { alphaDecoder } from '../ffmpeg/alpha-decoder.ts'
import { ontoGrid } from '../ffmpeg/grid.ts'
import { inPiecesOf, outputOf } from '../ffmpeg/output.ts'
import { inputArgs } from '../ffmpeg/run.ts'
import { fileTimes } from '../ffmpeg/seek.ts'

/** Frames to read: all of a video at an even rate, of one area of the picture, at a size with even sides. */
interface GridFrameOptions {
  readonly video: VideoFacts
  readonly rate: Rational
  readonly area: Area
  readonly width: number
  readonly height: number
  readonly threads: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Frames of a video as it is displayed, in order from its first: frame k of the file is the one at k divided by the
 * rate, as a result of constant rate has it. Once a frame is asked for, the memory of the one before is used again. HDR is left as it is
 * coded, which dims it and keeps its letters.
 */
export async function* gridFrames(path: string, wish: GridFrameOptions): AsyncGenerator<Frame> {
  const { video, rate, area, width, height, threads, signal } = wish
  const start = (firstFrameIndex(video, rate) * rate.den) / rate.num
  const filters = [
    ...ontoGrid(video, rate),
    `fps=fps=${rate.num}/${rate.den}:start_time=${start.toFixed(6)}`,
    ...cropFilter(area),
    `scale=w=${width}:h=${height}:flags=area:out_color_matrix=bt709:out_range=tv`,
    'format=yuv420p',
  ].join(',')
  const before = [...(await alphaDecoder(video)), '-threads', String(threads)]
  const args = [
    ...fileTimes,
    ...inputArgs(path, before),
    ...['-map', '0:V:0', '-vf', filters, '-f', 'rawvideo', 'pipe:1'],
  ]
  const output = outputOf({ args, signal, timeoutMs: decodeTimeoutMs(video.duration_ms) })
  const memory = new Uint8Array((width * height * 3) / 2)
  const pieces = inPiecesOf(memory.length, output, { rest: 'dropped', take: () => memory })
  for await (const bytes of pieces) yield { width, height, bytes }
}

/** Cuts an area out of the picture, to whole pixels. */
function cropFilter({ x, y, w, h }: Area): string[] {
  if (x === 0 && y === 0 && w === 1 && h === 1) return []
  return [`crop=w=iw*${w.toFixed(6)}:h=ih*${h.toFixed(6)}:x=iw*${x.toFixed(6)}:y=ih*${y.toFixed(6)}:exact=1`]
}

/** A machine may be busy and much slower than the one measured; this only ends what hangs. */
function decodeTimeoutMs(durationMs: number): number {
  return 10 * 60_000 + 60 * durationMs
}

/** Longest side of the pictures that are looked at, px. */
const longestSide = 960

/** Samples of a second of video. */
const samplesPerSecond = 2

/**
 * Time that is kept: the way back from a text's third sample, while some more are looked at. Of faster videos every
 * second frame is kept: a text may then be told from a frame before it shows, or to one after.
 */
export const keptSeconds = 4
const mostKeptRate = 60

/** An average may lie a little over the rate at which frames are spaced. */
const rateSlack = 0.01

/** The pixels that an area of a video is looked at in. */
export function textSearchGrid({ width, height }: VideoFacts, area: Area): Omit<PixelGrid, 'rate'> {
  const [across, down] = [width * area.w, height * area.h]
  const scale = Math.min(2, longestSide / Math.max(across, down))
  const even = (side: number) => Math.max(2, 2 * Math.round((side * scale) / 2))
  return { width: even(across), height: even(down), area }
}

/** Of so many frames one is kept. */
export function keptFrameStep(rate: Rational): number {
  return Math.max(1, Math.ceil(hertz(rate) / mostKeptRate - rateSlack))
}

/** Frames from one sample to the next: such that samples are kept. */
export function sampleStep(rate: Rational): number {
  const every = keptFrameStep(rate)
  return every * Math.max(1, Math.round(hertz(rate) / samplesPerSecond / every))
}
