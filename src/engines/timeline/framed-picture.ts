import type { VideoFacts } from '../../contract/media-facts.ts'
import { hertz } from '../../media/frame-rate.ts'
import { intersectRects, type Rect, type Size, uniteRects, uprightSize } from '../../media/geometry.ts'
import { containedSize, fitAxis } from '../../media/layout/canvas.ts'
import type { ClipFraming, FramingSlot } from '../../media/timeline/framing.ts'
import type { MaterialRange } from '../../media/timeline/pieces.ts'
import type { Timeline } from '../../media/timeline/timeline.ts'
import { blackFrames } from '../ffmpeg/black-frames.ts'
import { bt709, scaleTo, toneMap } from '../ffmpeg/colour.ts'
import { cropScaleFilters, exactCrop } from '../ffmpeg/crop-scale.ts'

export interface FramedPictureOptions {
  readonly canvas: Pick<Timeline, 'width' | 'height' | 'rate'>
  readonly video: VideoFacts
  readonly range: MaterialRange
  /** Suffix that makes labels unique in the graph. */
  readonly label: string
}

/**
 * Returns the filters from the decoded, upright frames of a range to frames of the canvas, opaque, in BT.709 and 4:2:0.
 * They have one input and one output, without labels.
 */
export function framedPicture(options: FramedPictureOptions): string {
  const { canvas, range } = options
  const { framing } = range.clip
  switch (framing?.mode) {
    case 'crop':
      return framing.moveTo
        ? movingCrop({ from: framing.crop, to: framing.moveTo }, options)
        : filledSlot(framing.crop, canvas, options)
    case 'fit':
      return wholePicture(framing.blurSigma, options)
    case 'split':
      return splitPicture(framing, options)
    default:
      return wholePicture(0, options)
  }
}

/** Returns the filters that show the whole picture, over its blurred copy or over black. */
function wholePicture(blurSigma: number, options: FramedPictureOptions): string {
  const { canvas, video, label } = options
  const size = containedSize(canvas, video.width / video.height)
  const [x, y] = [(canvas.width - size.width) / 2, (canvas.height - size.height) / 2]
  const picture = opaque([scaleTo(video, size), ...(video.hdr ? toneMap : [])], size, options)
  if (x === 0 && y === 0) return picture
  if (blurSigma === 0) return `${picture},pad=w=${canvas.width}:h=${canvas.height}:x=${x}:y=${y}:color=black`
  return [
    `${picture},split[w${label}][c${label}]`,
    `[c${label}]${blurredCopy(size, canvas, blurSigma)}[f${label}]`,
    `[f${label}][w${label}]overlay=x=${x}:y=${y}:format=yuv420`,
  ].join(';')
}

/** Standard deviation of the blur of a small copy, pixels: large enough that scaling it up shows no pixels. */
const smallSigma = 5

/**
 * Returns the filters that make a picture fill the canvas, blurred. They blur a small copy, because the work of a blur is
 * proportional to the pixels. sigma: standard deviation, pixels of the canvas.
 */
function blurredCopy({ width, height }: Size, canvas: Size, sigma: number): string {
  const zoom = Math.max(canvas.width / width, canvas.height / height)
  const even = (side: number, most: number) => Math.min(most, Math.max(2, 2 * Math.round(side / 2)))
  const reduction = Math.max(1, sigma / smallSigma)
  const small = {
    width: even(canvas.width / reduction, canvas.width),
    height: even(canvas.height / reduction, canvas.height),
  }
  return [
    `crop=w=${even(canvas.width / zoom, width)}:h=${even(canvas.height / zoom, height)}`,
    `scale=w=${small.width}:h=${small.height}:flags=area`,
    `gblur=sigma=${(sigma / reduction).toFixed(3)}:steps=3`,
    `scale=w=${canvas.width}:h=${canvas.height}:flags=bicubic`,
  ].join(',')
}

/** Returns the filters that place several crops on black. Slots are rounded to the even pixels of 4:2:0 chroma. */
function splitPicture(
  { slots }: Extract<ClipFraming, { mode: 'split' }>,
  options: FramedPictureOptions,
): string {
  const { canvas, label } = options
  const placed = slots.map(({ crop, slot }, index) => ({
    crop,
    slot: evenSlot(slot, canvas),
    label: `${label}s${index}`,
  }))
  const chains = placed.map(
    (one) => `[i${one.label}]${filledSlot(one.crop, one.slot, { ...options, label: one.label })}`,
  )
  const [first, ...others] = placed
  if (!first) throw new Error('a split picture has no slots')
  const { x, y } = first.slot
  const pad = `${chains[0]},pad=w=${canvas.width}:h=${canvas.height}:x=${x}:y=${y}:color=black`
  const overlays = others.map(
    ({ slot, label: name }, index) =>
      `[o${label}s${index}];${chains[index + 1]}[p${name}];[o${label}s${index}][p${name}]overlay=x=${slot.x}:y=${slot.y}:format=yuv420`,
  )
  return `split=${placed.length}${placed.map((one) => `[i${one.label}]`).join('')};${pad}${overlays.join('')}`
}

function evenSlot(slot: FramingSlot['slot'], canvas: Size): Rect {
  const even = (value: number) => 2 * Math.round(value / 2)
  const [x, y] = [even(slot.x), even(slot.y)]
  const size = { width: even(slot.x + slot.width) - x, height: even(slot.y + slot.height) - y }
  return intersectRects({ x, y, ...size }, { x: 0, y: 0, ...canvas })
}

/** Returns the filters from a picture to a crop of it with the size of a slot, exact to hundredths of a pixel. */
function filledSlot(crop: Rect, slot: Size, options: FramedPictureOptions): string {
  const { video } = options
  const source = uprightSize(video)
  const { x, y, width, height } = codedRect(crop, video)
  const fits = {
    x: fitAxis({ length: source.width, from: x, to: x + width, shown: slot.width }),
    y: fitAxis({ length: source.height, from: y, to: y + height, shown: slot.height }),
  }
  return opaque(cropScaleFilters(video, fits), slot, options)
}

/**
 * Returns the filters of a crop that moves linearly: frame k of the n frames of its clip shows it k / n of the way. The
 * area that it crosses is cropped, and scaled if the canvas has fewer pixels. A perspective of that area then shows each
 * frame's crop to fractions of a pixel: steps of whole pixels would be seen as shaking.
 */
function movingCrop(
  { from, to }: { readonly from: Rect; readonly to: Rect },
  options: FramedPictureOptions,
): string {
  const { canvas, video } = options
  const source = uprightSize(video)
  const [start, end] = [codedRect(from, video), codedRect(to, video)]
  const crossed = uniteRects(start, end)
  const area = { x: 2 * Math.floor(crossed.x / 2), y: 2 * Math.floor(crossed.y / 2) }
  const width = Math.min(source.width, 2 * Math.ceil((crossed.x + crossed.width) / 2)) - area.x
  const height = Math.min(source.height, 2 * Math.ceil((crossed.y + crossed.height) / 2)) - area.y
  const scaled = (length: number, ratio: number) => 2 * Math.ceil((length * Math.min(1, ratio)) / 2)
  const size = {
    width: scaled(width, canvas.width / Math.min(start.width, end.width)),
    height: scaled(height, canvas.height / Math.min(start.height, end.height)),
  }
  const crop = [exactCrop({ ...area, width, height }), scaleTo(video, size), ...(video.hdr ? toneMap : [])]
  const inArea = (rect: Rect): Rect => ({
    x: ((rect.x - area.x) * size.width) / width,
    y: ((rect.y - area.y) * size.height) / height,
    width: (rect.width * size.width) / width,
    height: (rect.height * size.height) / height,
  })
  return [
    opaque(crop, size, options),
    perspective({ from: inArea(start), to: inArea(end), size }, options.range, hertz(canvas.rate)),
    `scale=w=${canvas.width}:h=${canvas.height}:flags=bicubic`,
  ].join(',')
}

/** Returns the filter that enlarges a moving rectangle to the size of the picture. */
function perspective(
  { from, to, size }: { readonly from: Rect; readonly to: Rect; readonly size: Size },
  { clip: { track }, offset }: MaterialRange,
  rate: number,
): string {
  const frames = Math.round(track.to * rate) - Math.round(track.from * rate)
  // `in` counts frames from 1.
  const way = `(in${offset - 1 < 0 ? '' : '+'}${offset - 1})/${frames}`
  // The filter maps the centres of pixels as if they were corners, which half of the change of scale corrects.
  const edge = (start: number, end: number, length: { start: number; end: number; whole: number }) => {
    const centred = (value: number, part: number) => value + 0.5 * (part / length.whole - 1)
    const [first, last] = [centred(start, length.start), centred(end, length.end)]
    return `${first.toFixed(6)}+${(last - first).toFixed(6)}*${way}`
  }
  const [x, y] = [
    { start: from.width, end: to.width, whole: size.width },
    { start: from.height, end: to.height, whole: size.height },
  ]
  const left = edge(from.x, to.x, x)
  const right = edge(from.x + from.width, to.x + to.width, x)
  const top = edge(from.y, to.y, y)
  const bottom = edge(from.y + from.height, to.y + to.height, y)
  const corners = `x0=${left}:x1=${right}:x2=${left}:x3=${right}:y0=${top}:y1=${top}:y2=${bottom}:y3=${bottom}`
  return `perspective=${corners}:eval=frame:interpolation=cubic`
}

/** Converts a rectangle of displayed pixels to pixels of the decoded, upright picture, and limits it to the picture. */
function codedRect(rect: Rect, video: VideoFacts): Rect {
  const { width, height } = uprightSize(video)
  const [x, y] = [width / video.width, height / video.height]
  const coded = { x: rect.x * x, y: rect.y * y, width: rect.width * x, height: rect.height * y }
  return intersectRects(coded, { x: 0, y: 0, width, height })
}

/** Returns filters that end with an opaque picture of a size, composited over black if the source is transparent. */
function opaque(filters: readonly string[], size: Size, options: FramedPictureOptions): string {
  const { canvas, video, range, label } = options
  const black = blackFrames({ ...size, rate: canvas.rate, frames: range.units })
  const overBlack = `format=yuva420p[t${label}];${black}[b${label}];[b${label}][t${label}]overlay=format=yuv420:shortest=1`
  return [...filters, ...(video.alpha ? [overBlack] : []), `setparams=${bt709},format=yuv420p`].join(',')
}
