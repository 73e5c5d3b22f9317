import type { Rational } from '../../contract/media-facts.ts'
import { isFullRange, isYuv, uprightSize, type Footage } from './decode-frames.ts'
import { evenSize } from '../../media/clean/region.ts'
import type { Frame } from '../../media/clean/frame.ts'
import { runRaw } from './run.ts'

/** How the encoder works. */
export interface EncoderSettings {
  /** x264's constant rate factor. */
  readonly crf: number
  readonly effort: Effort
  readonly threads: number
}

/** How frames become a file. */
interface EncodeFramesOptions extends EncoderSettings {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/** x264's preset. At 1080p superfast takes 25 ms a frame instead of 43, for files some 6 % larger; of drawings more. */
export type Effort = 'superfast' | 'veryfast'

/** What was coded once is to stay as it is, grain and all, rather than to look good at less. */
const faithfulTuning = ['-tune', 'psnr']
/** As veryfast looks ahead by itself: without it superfast's files are twice as large. */
const lookaheadParams = ['mbtree=1', 'rc-lookahead=10']

/**
 * Encodes frames that `decodeFrames` gave to an mp4 without sound, samples, colours, shape of a sample and fields as
 * they were. Once a frame is asked for, the memory of the one before may be used again.
 */
export async function encodeFrames(
  path: string,
  { frames, footage }: { frames: AsyncIterable<Frame>; footage: Footage },
  { signal, timeoutMs, ...coding }: EncodeFramesOptions,
): Promise<void> {
  const { width, height } = evenSize(uprightSize(footage.video))
  const { num, den } = footage.rate
  await runRaw({
    input: frameData(frames),
    args: [
      ...['-protocol_whitelist', 'pipe', '-f', 'rawvideo', '-pix_fmt', 'yuv420p'],
      ...['-video_size', `${width}x${height}`, '-framerate', `${num}/${den}`, '-i', 'pipe:0'],
      ...['-vf', propertyFilters(footage).join(','), ...x264Args(footage, coding), '-pix_fmt', 'yuv420p'],
      ...['-map_metadata', '-1', '-video_track_timescale', timescale(footage.rate), path],
    ],
    signal,
    timeoutMs,
  })
}

/** Filters that tell an encoder of a picture what it is. */
export function propertyFilters(footage: Footage): string[] {
  return [...colourFilters(colourOptions(footage)), ...aspectFilters(footage), ...fieldFilters(footage)]
}

/**
 * Options of the encoder for a picture.
 *
 * @param more parameters of x264
 */
export function x264Args(
  footage: Footage,
  { crf, effort, threads }: EncoderSettings,
  more: readonly string[] = [],
): string[] {
  return [
    ...['-c:v', 'libx264', '-preset', effort, ...faithfulTuning, '-crf', String(crf)],
    // Parts of one video must have equal headers, whatever is in them.
    ...[
      '-x264-params',
      ['stitchable=1', ...lookaheadParams, ...interlacingParams(footage), ...more].join(':'),
    ],
    ...['-threads', String(threads)],
    ...Object.entries(colourOptions(footage)).flatMap(([option, name]) => (name ? [`-${option}`, name] : [])),
  ]
}

async function* frameData(frames: AsyncIterable<Frame>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of frames) yield bytes
}

type ColourOptions = Readonly<
  Record<
    'color_range' | 'colorspace' | 'color_trc' | 'color_primaries' | 'chroma_sample_location',
    string | undefined
  >
>

/** How a result's samples are to be shown, by ffmpeg's options: as those of the source, unless they were converted. */
function colourOptions(footage: Footage): ColourOptions {
  const { matrix, transfer, primaries, chroma } = footage.stream.colour
  const converted = footage.video.hdr || !isYuv(footage.video)
  const known = (name: string | undefined) => (name === 'unknown' || name === 'gbr' ? undefined : name)
  return {
    color_range: isFullRange(footage) ? 'pc' : 'tv',
    colorspace: converted ? 'bt709' : known(matrix),
    color_trc: converted ? 'bt709' : known(transfer),
    color_primaries: converted ? 'bt709' : known(primaries),
    chroma_sample_location: chroma === 'unspecified' ? undefined : chroma,
  }
}

/** Tells the filters too, so that none of them converts anything. */
function colourFilters(colour: ColourOptions): string[] {
  const { color_range: range, colorspace, color_primaries: primaries, color_trc: trc } = colour
  const set = { range, colorspace, color_primaries: primaries, color_trc: trc }
  const told = Object.entries(set).flatMap(([name, value]) => (value ? [`${name}=${value}`] : []))
  return told.length > 0 ? [`setparams=${told.join(':')}`] : []
}

/** A turned picture's samples are turned with it. */
function aspectFilters({ video: { sample_aspect_ratio, rotation } }: Footage): string[] {
  const { num, den } = sample_aspect_ratio
  return rotation % 180 === 0 ? [`setsar=${num}/${den}`] : [`setsar=${den}/${num}`]
}

function fieldFilters({ stream: { interlaced } }: Footage): string[] {
  return interlaced ? [`setfield=${interlaced === 'top' ? 'tff' : 'bff'}`] : []
}

function interlacingParams({ stream: { interlaced } }: Footage): string[] {
  return interlaced ? [interlaced === 'top' ? 'tff=1' : 'bff=1'] : []
}

/** A clock on which every frame of the rate has a whole time. */
function timescale({ num }: Rational): string {
  return String(num * Math.ceil(10_000 / num))
}
