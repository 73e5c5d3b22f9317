import type { VideoFacts } from '../../src/contract/media-facts.ts'
import type { FrameSpan } from '../../src/media/particle/frame-spans.ts'
import { bt709, scaleTo, toneMap } from '../../src/engines/ffmpeg/colour.ts'
import {
  cutFades,
  padTo,
  soundRate,
  stereoFilter,
  truePeakLimiter,
} from '../../src/engines/ffmpeg/sound-filters.ts'
import { formatRate } from '../../src/media/frame-rate.ts'
import type { Size } from '../../src/media/geometry.ts'
import { containedSize } from '../../src/media/layout/canvas.ts'
import type { LayerFormat } from './layer-stream.ts'

/** The base video: its ffmpeg input, and the frames that show it. */
interface BaseInput {
  readonly index: number
  readonly video: VideoFacts
  readonly startFrame: number
  readonly endFrame: number
}

interface Composite {
  readonly base: BaseInput | undefined
  /** Input of the particles, and the frames that show any. */
  readonly layer: { readonly index: number; readonly shown: readonly FrameSpan[] } | undefined
  readonly canvas: LayerFormat
}

/** Returns the filter graph of an mp4's picture, ending in [v]: the base, padded with black in space and time, under the particles. */
export function compositeGraph({ base, layer, canvas }: Composite): string {
  const bottom = base ? `[${base.index}:V:0]${baseFilters(base, canvas)}` : blackSource(canvas)
  const end = `trim=end_frame=${canvas.frames},setparams=${bt709}[v]`
  if (!layer) return `${bottom},${end}`
  const shown = layer.shown.map(({ first, end: after }) => `between(n,${first},${after - 1})`).join('+')
  return [
    `${bottom}[base]`,
    `[${layer.index}:v]scale=out_color_matrix=bt709:out_range=tv,format=yuva420p,${constantFrames(canvas)}[layer]`,
    `[base][layer]overlay=format=yuv420:alpha=straight:enable='${shown}',${end}`,
  ].join(';')
}

/** Returns the filter graph of the particles alone, ending in [v]. VP8 supports only the BT.601 matrix (RFC 6386, 9.2). */
export function layerGraph(index: number, canvas: LayerFormat, format: 'yuva420p' | 'argb'): string {
  const colours = format === 'argb' ? '' : '=out_color_matrix=bt601:out_range=tv'
  const end = `tpad=stop=${canvas.frames}:stop_mode=clone,trim=end_frame=${canvas.frames}`
  return `[${index}:v]scale${colours},format=${format},${constantFrames(canvas)},${end}[v]`
}

/** Returns the filters for a constant frame rate, which repeat each picture until the next. */
function constantFrames({ rate }: LayerFormat): string {
  return `fps=fps=${formatRate(rate)}:start_time=0,setsar=1`
}

function blackSource({ width, height, rate, frames }: LayerFormat): string {
  return (
    `color=black:size=${width}x${height}:rate=${formatRate(rate)},format=yuv420p,trim=end_frame=1,` +
    `loop=loop=${frames}:size=1,setsar=1`
  )
}

/**
 * Returns the filters from the decoded, rotated picture to the canvas: scaled to fit, centred. fps makes frame times
 * constant from 0. The first tpad extends the last frame, so that it is shown up to its end.
 */
function baseFilters({ video, startFrame, endFrame }: BaseInput, canvas: LayerFormat): string {
  const size = containedSize(canvas, video.width / video.height)
  const isWhole = size.width === canvas.width && size.height === canvas.height
  return [
    `tpad=stop_mode=clone:stop_duration=1,fps=fps=${formatRate(canvas.rate)}:start_time=0`,
    `trim=end_frame=${endFrame - startFrame}`,
    scaleTo(video, size),
    ...(video.hdr ? toneMap : []),
    // Composes transparent pixels on black.
    ...(video.alpha ? ['format=gbrap,premultiply=inplace=1,scale=out_color_matrix=bt709:out_range=tv'] : []),
    'format=yuv420p',
    ...(isWhole ? [] : [padFilter(size, canvas)]),
    `setsar=1,tpad=start=${startFrame}:stop=${canvas.frames}:color=black`,
  ].join(',')
}

function padFilter(size: Size, canvas: Size): string {
  const left = (canvas.width - size.width) / 2
  const top = (canvas.height - size.height) / 2
  return `pad=w=${canvas.width}:h=${canvas.height}:x=${left}:y=${top}:color=black`
}

/** An audio stream mixed into the result. */
export interface SoundInput {
  /** Index of its ffmpeg input. */
  readonly index: number
  readonly mono: boolean
  /** Start in the result, seconds. */
  readonly from: number
  /** Duration; undefined: to the end of the stream. */
  readonly seconds: number | undefined
  /** Duration of the stream, seconds. */
  readonly streamSeconds: number
}

/** Returns the filter graph that mixes one or two sounds at unchanged volume, ending in [a]. seconds: exact length of the result. */
export function soundGraph(sounds: readonly SoundInput[], seconds: number): string {
  const chains = sounds.map((sound) => `[${sound.index}:a:0]${soundFilterChain(sound, seconds)}`)
  const end = `atrim=end=${seconds.toFixed(6)}[a]`
  if (chains.length === 1) return `${chains.join('')},${padTo(seconds)},${end}`
  const labels = chains.map((_, index) => `[a${index}]`)
  const mix = `amix=inputs=${chains.length}:duration=longest:normalize=0`
  return `${chains.map((chain, index) => chain + labels[index]).join(';')};${labels.join('')}${mix},${padTo(seconds)},${truePeakLimiter()},${end}`
}

/** Returns the filters of one sound. resultSeconds: duration of the result. */
function soundFilterChain({ mono, from, seconds, streamSeconds }: SoundInput, resultSeconds: number): string {
  const playedSeconds = Math.min(seconds ?? Infinity, resultSeconds - from)
  const samples = Math.round(playedSeconds * soundRate)
  return [
    stereoFilter(mono),
    ...cutFades({ samples, fadeIn: false, fadeOut: streamSeconds > playedSeconds }),
    ...(seconds === undefined ? [] : [`atrim=end=${seconds.toFixed(6)}`]),
    ...(from > 0 ? [`adelay=delays=${Math.round(from * soundRate)}S:all=1`] : []),
  ].join(',')
}
