import type { VideoFacts } from '../../src/contract/media-facts.ts'
import type { FrameSpan } from '../../src/engines/chromium/frame-spans.ts'
import { bt709, scaleTo, toneMap } from '../../src/engines/ffmpeg/colour.ts'
import { limiter, soundRate, stereoFilter } from '../../src/engines/ffmpeg/standard-sound.ts'
import { formatRate } from '../../src/media/frame-rate.ts'
import type { Size } from '../../src/media/geometry.ts'
import { containedSize } from '../../src/media/layout/canvas.ts'
import type { LayerFormat } from './layer-stream.ts'

/** The base picture: its input, and the frames on which it shows. */
interface BaseInput {
  readonly index: number
  readonly video: VideoFacts
  readonly startFrame: number
  readonly endFrame: number
}

interface Composite {
  readonly base: BaseInput | undefined
  /** Input of the particles, and where any of them shows. */
  readonly layer: { readonly index: number; readonly shown: readonly FrameSpan[] } | undefined
  readonly canvas: LayerFormat
}

/** The filter graph of an mp4's picture: the base, black where it does not reach, with the particles over it; ends in [v]. */
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

/** The filter graph of the particles alone; ends in [v]. VP8 knows one matrix, BT.601 (RFC 6386, 9.2). */
export function layerGraph(index: number, canvas: LayerFormat, format: 'yuva420p' | 'argb'): string {
  const colours = format === 'argb' ? '' : '=out_color_matrix=bt601:out_range=tv'
  const end = `tpad=stop=-1:stop_mode=clone,trim=end_frame=${canvas.frames}`
  return `[${index}:v]scale${colours},format=${format},${constantFrames(canvas)},${end}[v]`
}

/** A picture given once stands until the next. */
function constantFrames({ rate }: LayerFormat): string {
  return `fps=fps=${formatRate(rate)}:start_time=0,setsar=1`
}

function blackSource({ width, height, rate }: LayerFormat): string {
  return (
    `color=black:size=${width}x${height}:rate=${formatRate(rate)},format=yuv420p,trim=end_frame=1,` +
    'loop=loop=-1:size=1,setsar=1'
  )
}

/**
 * From a decoded, turned picture to the canvas: all of it, in the middle. fps repeats and drops so that time runs
 * on evenly from 0; the first tpad lets the last frame stand, so that a length inside its time shows it.
 */
function baseFilters({ video, startFrame, endFrame }: BaseInput, canvas: LayerFormat): string {
  const size = containedSize(canvas, video.width / video.height)
  const isWhole = size.width === canvas.width && size.height === canvas.height
  return [
    `tpad=stop_mode=clone:stop_duration=1,fps=fps=${formatRate(canvas.rate)}:start_time=0`,
    `trim=end_frame=${endFrame - startFrame}`,
    scaleTo(video, size),
    ...(video.hdr ? toneMap : []),
    // What is transparent shows the black below it.
    ...(video.alpha ? ['format=gbrap,premultiply=inplace=1,scale=out_color_matrix=bt709:out_range=tv'] : []),
    'format=yuv420p',
    ...(isWhole ? [] : [padFilter(size, canvas)]),
    `setsar=1,tpad=start=${startFrame}:stop=-1:color=black`,
  ].join(',')
}

function padFilter(size: Size, canvas: Size): string {
  const left = (canvas.width - size.width) / 2
  const top = (canvas.height - size.height) / 2
  return `pad=w=${canvas.width}:h=${canvas.height}:x=${left}:y=${top}:color=black`
}

/** A sound of the result. */
export interface SoundInput {
  /** Of its input. */
  readonly index: number
  readonly mono: boolean
  /** In seconds of the result; to its end where it is left out. */
  readonly from: number
  readonly seconds: number | undefined
}

/** The filter graph of one or two sounds, each as loud as it is, for exactly so long; ends in [a]. */
export function soundGraph(sounds: readonly SoundInput[], seconds: number): string {
  const chains = sounds.map((sound) => `[${sound.index}:a:0]${soundFilterChain(sound)}`)
  const end = `apad,atrim=end=${seconds.toFixed(6)}[a]`
  if (chains.length === 1) return `${chains.join('')},${end}`
  const labels = chains.map((_, index) => `[a${index}]`)
  const mix = `amix=inputs=${chains.length}:duration=longest:normalize=0`
  return `${chains.map((chain, index) => chain + labels[index]).join(';')};${labels.join('')}${mix},apad,${limiter},${end}`
}

function soundFilterChain({ mono, from, seconds }: SoundInput): string {
  return [
    stereoFilter(mono),
    ...(seconds === undefined ? [] : [`atrim=end=${seconds.toFixed(6)}`]),
    ...(from > 0 ? [`adelay=delays=${Math.round(from * soundRate)}S:all=1`] : []),
  ].join(',')
}
