import type { Rational, VideoFacts } from '../../src/contract/media-facts.ts'
import { bt709 } from '../../src/engines/ffmpeg/colour.ts'
import { cropScaleFilters } from '../../src/engines/ffmpeg/crop-scale.ts'
import { formatRate } from '../../src/media/frame-rate.ts'
import { type Rect, type Size, uprightSize } from '../../src/media/geometry.ts'
import { type AxisFit, containedSize, fitAxis, shownPart } from '../../src/media/layout/canvas.ts'
import type { SelectedClip } from './selection.ts'

/** Placement of the picture of a clip: its crop, its scaling and its position in the result. */
export interface ClipPlacement {
  readonly video: VideoFacts
  /** Start of the range of the clip in its file, ms. */
  readonly beginMs: number
  readonly x: AxisFit
  readonly y: AxisFit
  /** Top left corner on the canvas, pixels. */
  readonly left: number
  readonly top: number
  /** Visible part of the upright source, as shares of its sides, 0 to 1. */
  readonly sourceCrop: Rect
}

/**
 * Returns the placement that centres a clip in its slot. `cover` fills the slot and crops the remainder, `contain`
 * shows the whole picture.
 */
export function placeClip(clip: SelectedClip, slot: Rect, fit: 'cover' | 'contain'): ClipPlacement {
  const target = fit === 'cover' ? slot : containedSize(slot, clip.aspect)
  // Target aspect / clip aspect: below 1, the width is cropped, above 1, the height.
  const aspectRatio = fit === 'cover' ? target.width / target.height / clip.aspect : 1
  const source = uprightSize(clip.video)
  const { crop } = clip
  const x = fitCroppedAxis({
    length: source.width,
    crop: { start: crop.x, size: crop.width },
    keptShare: Math.min(1, aspectRatio),
    shown: target.width,
  })
  const y = fitCroppedAxis({
    length: source.height,
    crop: { start: crop.y, size: crop.height },
    keptShare: Math.min(1, 1 / aspectRatio),
    shown: target.height,
  })
  return {
    video: clip.video,
    beginMs: clip.beginMs,
    x,
    y,
    left: slot.x + (slot.width - target.width) / 2,
    top: slot.y + (slot.height - target.height) / 2,
    sourceCrop: visibleShares({ x, y }, source),
  }
}

interface FitCroppedAxisOptions {
  /** Length of the source along this axis, pixels. */
  readonly length: number
  /** Requested crop along this axis, as shares of the length. */
  readonly crop: { readonly start: number; readonly size: number }
  /** Centred share of the crop that is visible, 0 to 1. */
  readonly keptShare: number
  /** Length of the result along this axis, pixels. */
  readonly shown: number
}

function fitCroppedAxis({ length, crop, keptShare, shown }: FitCroppedAxisOptions): AxisFit {
  const size = Math.min(crop.size, 1 - crop.start)
  const from = crop.start + (size * (1 - keptShare)) / 2
  return fitAxis({ length, from: from * length, to: (from + size * keptShare) * length, shown })
}

/** Returns the visible part of a source as shares of its sides. */
function visibleShares(fit: { x: AxisFit; y: AxisFit }, source: Size): Rect {
  const x = shownPart(fit.x)
  const y = shownPart(fit.y)
  return {
    x: x.from / source.width,
    y: y.from / source.height,
    width: (x.to - x.from) / source.width,
    height: (y.to - y.from) / source.height,
  }
}

interface SplitScreenGraphOptions {
  readonly canvas: Size
  readonly rate: Rational
  /** Length of the result, frames. */
  readonly frames: number
  /** Background colour, #RRGGBB. */
  readonly background: string
  readonly clips: readonly ClipPlacement[]
}

/**
 * Returns the filter graph of the picture. Inputs 0, 1, … are the clips, with the timestamps of their files. The
 * output label is [v].
 */
export function splitScreenGraph(screen: SplitScreenGraphOptions): string {
  const { canvas, frames, clips } = screen
  const chains = clips.map(
    (clip, index) => `[${index}:V:0]${clipFilters(clip, formatRate(screen.rate))}[c${index}]`,
  )
  const end = `trim=end_frame=${frames},format=yuv420p,setparams=${bt709}${backgroundQuality(canvas, clips)}[v]`
  return [...chains, `${canUseXstack(screen) ? xstackFilter(screen) : overlayFilters(screen)},${end}`].join(
    ';',
  )
}

/**
 * Returns whether xstack can be used, which is cheaper than overlay. It does not support transparency, and its
 * canvas ends at the outermost picture. It converts the fill colour with a matrix other than BT.709, so only grey is
 * correct.
 */
function canUseXstack({ canvas, background, clips }: SplitScreenGraphOptions): boolean {
  const { cb, cr } = colourToBt709(background)
  return (
    cb === 128 &&
    cr === 128 &&
    clips.every(({ video }) => !video.alpha) &&
    Math.max(...clips.map(({ left, x }) => left + x.shown)) === canvas.width &&
    Math.max(...clips.map(({ top, y }) => top + y.shown)) === canvas.height
  )
}

/** Returns the filter that places all clips at once. Gaps have the background colour. */
function xstackFilter({ background, clips }: SplitScreenGraphOptions): string {
  const positions = clips.map(({ left, top }) => `${left}_${top}`).join('|')
  const labels = clips.map((_, index) => `[c${index}]`).join('')
  return `${labels}xstack=inputs=${clips.length}:layout=${positions}:fill=${background.replace('#', '0x')}`
}

/** Returns filters that repeat one frame of the background colour, set as YUV values, and overlay each clip. */
function overlayFilters({ canvas, rate, frames, background, clips }: SplitScreenGraphOptions): string {
  const { y, cb, cr } = colourToBt709(background)
  const canvasSource =
    `color=black:size=${canvas.width}x${canvas.height}:rate=${formatRate(rate)},format=yuv420p,trim=end_frame=1,` +
    `lutyuv=y=${y}:u=${cb}:v=${cr},setparams=${bt709},loop=loop=${frames}:size=1,setsar=1`
  return clips.reduce(
    (graph, { left, top }, index) =>
      `${graph}[s${index}];[s${index}][c${index}]overlay=x=${left}:y=${top}:format=yuv420`,
    canvasSource,
  )
}

/**
 * Returns the filters from a decoded, upright picture, with the timestamps of its file, to the pixels of its slot.
 * tpad repeats the last frame, so that frames exist up to the end of the range; it counts in frames of the rate, which
 * ffmpeg 7 does not know after setpts. setpts shifts the timestamps to the start of the range, which the file's time base
 * may not represent exactly. fps produces a constant rate from 0.
 */
function clipFilters({ video, beginMs, x, y }: ClipPlacement, fps: string): string {
  return [
    `settb=AVTB,tpad=stop_mode=clone:stop_duration=1,setpts=PTS-${beginMs / 1000}/TB`,
    `fps=fps=${fps}:start_time=0`,
    ...cropScaleFilters(video, { x, y }),
    `setparams=${bt709}`,
    `format=yuv${video.alpha ? 'a' : ''}420p`,
    'setsar=1',
  ].join(',')
}

/** Side of the encoder's blocks, pixels. */
const blockSide = 16

/** Quantizer offset of blocks that contain background, as a fraction of the quantizer range, -1 to 1. */
const backgroundOffset = -0.4

/**
 * Returns filters that make the encoder use a higher quality for blocks with background, so that thin gaps keep
 * their colour and edges. The region of higher quality is the whole canvas. The inner blocks of the pictures are
 * listed first, take precedence and keep the default quality.
 */
function backgroundQuality(canvas: Size, clips: readonly ClipPlacement[]): string {
  const coveredPixels = clips.reduce((sum, { x, y }) => sum + x.shown * y.shown, 0)
  if (coveredPixels >= canvas.width * canvas.height) return ''
  const innerRegions = clips.flatMap(({ x, y, left, top }) => {
    // A picture has no background beyond a side at the edge of the canvas.
    const from = { x: left === 0 ? 0 : left + blockSide, y: top === 0 ? 0 : top + blockSide }
    const right = left + x.shown - (left + x.shown === canvas.width ? 0 : blockSide)
    const bottom = top + y.shown - (top + y.shown === canvas.height ? 0 : blockSide)
    const size = { w: right - from.x, h: bottom - from.y }
    return size.w > 0 && size.h > 0
      ? [`addroi=x=${from.x}:y=${from.y}:w=${size.w}:h=${size.h}:qoffset=0`]
      : []
  })
  return ['', ...innerRegions, `addroi=w=iw:h=ih:qoffset=${backgroundOffset}`].join(',')
}

/** Converts #RRGGBB to 8-bit limited-range samples (ITU-R BT.709-6, 3.2 and 3.4). */
export function colourToBt709(color: string): { y: number; cb: number; cr: number } {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(
    (at) => Number.parseInt(color.slice(at, at + 2), 16) / 255,
  )
  const luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return {
    y: Math.round(16 + 219 * luma),
    cb: Math.round(128 + (224 * (blue - luma)) / 1.8556),
    cr: Math.round(128 + (224 * (red - luma)) / 1.5748),
  }
}
