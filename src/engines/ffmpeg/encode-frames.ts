import type { Rational } from '../../contract/media-facts.ts'
import type { Frame } from '../../media/clean/frame.ts'
import { evenSize } from '../../media/clean/region.ts'
import { uprightSize } from '../../media/geometry.ts'
import {
  decodeArgs,
  type Footage,
  type FrameSelection,
  isFullRange,
  isYuv,
  pixelFormat,
} from './decode-frames.ts'
import { logFilter, runRaw, runWithReports } from './run.ts'

/** Settings of the x264 encoder. */
export interface EncoderSettings {
  /** Constant rate factor of x264. */
  readonly crf: number
  readonly effort: Effort
  readonly threads: number
}

/** Settings and limits of one encoding. */
interface EncodeFramesOptions extends EncoderSettings {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/**
 * Preset of x264. At 1080p, superfast takes 25 ms per frame instead of 43. Files grow by about 6 %, drawings
 * more.
 */
export type Effort = 'superfast' | 'veryfast'

/** Optimizes for fidelity, including grain, instead of perceived quality at a lower bit rate. */
const faithfulTuning = ['-tune', 'psnr']
/** The look-ahead that veryfast uses by default. Without it, files of superfast are twice as large. */
const lookaheadParams = ['mbtree=1', 'rc-lookahead=10']

/**
 * Encodes frames from `decodeFrames` to an mp4 without sound. Keeps colours, sample aspect ratio and field
 * order of the source. When the next frame is requested, the memory of the previous one may be reused.
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

/** Returns filters that set the colour, aspect ratio and field order of the source on each frame. */
function propertyFilters(footage: Footage): string[] {
  return [...colourFilters(colourOptions(footage)), ...aspectFilters(footage), ...fieldFilters(footage)]
}

/**
 * Returns the x264 options for a source.
 *
 * @param more additional x264 parameters
 */
function x264Args(
  footage: Footage,
  { crf, effort, threads }: EncoderSettings,
  more: readonly string[] = [],
): string[] {
  return [
    ...['-c:v', 'libx264', '-preset', effort, ...faithfulTuning, '-crf', String(crf)],
    // Segments of one video require identical headers, whatever their content.
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

/**
 * Returns the colour tags of a result as ffmpeg options: those of the source, or BT.709 if samples were
 * converted.
 */
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

/** Sets the colour tags on the frames too, so that no filter converts them. */
function colourFilters(colour: ColourOptions): string[] {
  const { color_range: range, colorspace, color_primaries: primaries, color_trc: trc } = colour
  const set = { range, colorspace, color_primaries: primaries, color_trc: trc }
  const tags = Object.entries(set).flatMap(([name, value]) => (value ? [`${name}=${value}`] : []))
  return tags.length > 0 ? [`setparams=${tags.join(':')}`] : []
}

/** The sample aspect ratio is inverted if the picture is rotated by a quarter turn. */
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

/** Returns a time base, in ticks per second, in which every frame of the rate has an integer time. */
function timescale({ num }: Rational): string {
  return String(num * Math.ceil(10_000 / num))
}

interface ReencodeFramesOptions extends FrameSelection, EncodeFramesOptions {
  /** Filters applied to the decoded frames, which may repeat them. */
  readonly filters: readonly string[]
  /** Number of frames after the filters; further ones are dropped. */
  readonly frames: number
  /** Working folder of ffmpeg, for files that the filters name. */
  readonly cwd: string
  /** Called with the number of frames encoded so far. */
  readonly onFrames: (frames: number) => void
}

/**
 * Encodes frames of a video as `encodeFrames` does, in one process. Returns the number of encoded frames, fewer than
 * `frames` if the video ends first.
 */
export async function reencodeFrames(
  path: string,
  footage: Footage,
  { filters, frames, cwd, onFrames, signal, timeoutMs, ...selection }: ReencodeFramesOptions,
): Promise<number> {
  const decoding = await decodeArgs(footage, { ...selection, signal }, [
    ...filters,
    ...propertyFilters(footage),
  ])
  let encoded = 0
  await runWithReports(
    {
      args: [
        // The second number replaces that of the decoded frames.
        ...[...decoding, '-frames:v', String(frames), ...x264Args(footage, selection)],
        ...['-pix_fmt', pixelFormat(footage), '-sn', '-dn'],
        ...['-map_metadata', '-1', '-map_chapters', '-1', '-video_track_timescale', timescale(footage.rate)],
        path,
      ],
      ...{ cwd, signal, timeoutMs },
    },
    (report) => onFrames((encoded = report.frames)),
  )
  return encoded
}

/** Size and quality of an encoded frame. */
interface EncodedFrame {
  readonly bytes: number
  /** PSNR of luma against the source, dB; 100 if identical. */
  readonly decibels: number
}

interface EncodeAndMeasureOptions extends FrameSelection, EncoderSettings {
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

/**
 * Encodes frames with the settings of `decodeFrames` and `encodeFrames`, and discards the output. Returns one
 * entry per frame, in encoding order, or none if the range contains no frame.
 */
export async function encodeAndMeasure(
  footage: Footage,
  { signal, timeoutMs, ...selection }: EncodeAndMeasureOptions,
): Promise<EncodedFrame[]> {
  const frames: EncodedFrame[] = []
  await runRaw({
    args: [
      // Reads each frame, not x264's final mean PSNR, in which a black frame outweighs all others.
      ...[
        '-loglevel',
        'repeat+level+debug',
        ...(await decodeArgs(footage, { ...selection, signal }, propertyFilters(footage))),
      ],
      ...[...x264Args(footage, selection, ['psnr=1']), '-pix_fmt', pixelFormat(footage)],
      ...['-f', 'null', '-'],
    ],
    signal,
    timeoutMs,
    readLog: logFilter((line) => {
      const [, bytes, decibels] = encodedFrameLine.exec(line) ?? []
      if (bytes !== undefined) frames.push({ bytes: Number(bytes), decibels: Number(decibels) })
    }),
  })
  return frames
}

const encodedFrameLine = /^\[libx264 @ \w+\] \[debug\] frame= *\d+ .* size=(\d+) bytes PSNR Y: *([\d.]+) /
