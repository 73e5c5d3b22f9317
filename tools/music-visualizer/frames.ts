import type { Canvas } from '../../src/engines/canvas/load.ts'
import type { AudioFeatures } from '../../src/media/audio/audio-features.ts'
import type { Rect } from '../../src/media/geometry.ts'
import { darken } from './built-in-images.ts'
import type { VideoFrames } from './read-images.ts'
import { clampToFrame, type Scene, type Template, type TruncatedField } from './scene.ts'

/** What is drawn for one frame. */
export interface DrawnPicture {
  /** Of four bytes each. */
  readonly pixels: Uint8Array
  /** How far its colours are yet to be parted: red moves so many pixels to the left, green and blue to the right. */
  readonly channelShift: number
}

/** A result as it is drawn: what stands still, and the part that is drawn anew for every frame. */
export interface PreparedDrawing {
  /** Four-byte pixels of the whole frame; undefined where all of it moves. */
  readonly still: Uint8Array | undefined
  /** Where the frames belong. */
  readonly region: Rect
  /** Pixels of the result that one of a frame stands for, along each side: 2 where all of it moves and is soft. */
  readonly scale: 1 | 2
  /** Pixels that a picture has beyond the region on both sides: as its colours part, they come in. */
  readonly sidePadding: number
  /** Of the words that stand still, those that do not show whole. */
  readonly truncated: readonly TruncatedField[]
  /** What ffmpeg lays over every frame; undefined where that is drawn already. */
  readonly overlay: StillLayer | undefined
  /** Pictures of the region, frame by frame. */
  frames(moments: AsyncIterable<AudioFeatures>): AsyncGenerator<DrawnPicture>
}

interface StillView {
  readonly scene: Scene
  readonly template: Template
  /** What stands still; the backdrop, too, where that does. */
  readonly plate: Canvas
}

/** Shorter side of a result, pixels, from which on half as many are enough for how far colours part. */
const minHalvedSide = 360

/** Prepares a template to be drawn over a background. */
export function prepareDrawing(scene: Scene, template: Template, backdrop: Background): PreparedDrawing {
  const { width, height } = scene
  const plate = scene.drawing.createCanvas(width, height)
  const pen = plate.getContext('2d')
  const view = { scene, template, plate }
  const { picture } = backdrop
  if (!('frames' in picture) && !template.beatEffect) {
    pen.drawImage(picture, 0, 0)
    const truncated = template.drawStill(pen)
    const still = plate.data()
    return {
      ...{ truncated, still, region: template.region, scale: 1, sidePadding: 0, overlay: undefined },
      frames: (moments) => drawRegion(view, moments),
    }
  }
  const truncated = template.drawStill(pen)
  const scale = template.beatEffect && backdrop.soft && scene.unit >= minHalvedSide ? 2 : 1
  const sidePadding = template.beatEffect ? Math.ceil(template.beatEffect.maxShift / scale) : 0
  return {
    ...{
      truncated,
      still: undefined,
      region: { x: 0, y: 0, width, height },
      scale,
      sidePadding,
    },
    overlay: template.beatEffect && cropToContent(plate),
    frames: (moments) => drawAll({ ...view, picture, scale, sidePadding }, moments),
  }
}

/** Only the part that moves, over its part of what stands still. */
async function* drawRegion(
  { scene, template, plate }: StillView,
  moments: AsyncIterable<AudioFeatures>,
): AsyncGenerator<DrawnPicture> {
  const { x, y, width, height } = template.region
  const under = scene.drawing.createCanvas(width, height)
  under.getContext('2d').drawImage(plate, -x, -y)
  const canvas = scene.drawing.createCanvas(width, height)
  const pen = canvas.getContext('2d')
  for await (const moment of moments) {
    // Quicker than laying it over the frame before, which nothing shows of.
    pen.globalCompositeOperation = 'copy'
    pen.drawImage(under, 0, 0)
    pen.globalCompositeOperation = 'source-over'
    pen.save()
    pen.translate(-x, -y)
    template.drawMoving(pen, moment)
    pen.restore()
    yield { pixels: canvas.data(), channelShift: 0 }
  }
}

/** Everything, because the background moves. */
async function* drawAll(
  {
    picture,
    scale,
    sidePadding,
    ...view
  }: StillView & Pick<PreparedDrawing, 'scale' | 'sidePadding'> & Pick<Background, 'picture'>,
  moments: AsyncIterable<AudioFeatures>,
): AsyncGenerator<DrawnPicture> {
  const { scene, template } = view
  const next = backgroundFrames(scene, picture, scale)
  try {
    if (template.beatEffect)
      yield* drawBeatFrames({ scene, template, beat: template.beatEffect, next, scale, sidePadding }, moments)
    else yield* drawOver({ ...view, next }, moments)
  } finally {
    if ('frames' in picture) await picture.frames.return(undefined)
  }
}

/** What stands still and what moves, over the next picture for every frame. */
async function* drawOver(
  { scene, template, plate, next }: StillView & { readonly next: () => Promise<Canvas> },
  moments: AsyncIterable<AudioFeatures>,
): AsyncGenerator<DrawnPicture> {
  const { x, y, width, height } = cropToContent(plate).box
  const canvas = scene.drawing.createCanvas(scene.width, scene.height)
  const pen = canvas.getContext('2d')
  for await (const moment of moments) {
    const picture = await next()
    pen.globalCompositeOperation = 'copy'
    pen.drawImage(picture, 0, 0, scene.width, scene.height)
    pen.globalCompositeOperation = 'source-over'
    pen.drawImage(plate, x, y, width, height, x, y, width, height)
    pen.save()
    template.drawMoving(pen, moment)
    pen.restore()
    yield { pixels: canvas.data(), channelShift: 0 }
  }
}

/** What a frame is drawn with whose background moves with the music. */
interface BeatView {
  readonly scene: Scene
  readonly template: Template
  readonly beat: NonNullable<Template['beatEffect']>
  readonly next: () => Promise<Canvas>
  /** Pixels of the result that one drawn stands for, along each side. */
  readonly scale: number
  /** Pixels drawn beyond the frame on both sides. */
  readonly sidePadding: number
}

/** Draws all that moves for every frame; what stands still is laid over it. */
async function* drawBeatFrames(
  { scene, template, beat, next, scale, sidePadding }: BeatView,
  moments: AsyncIterable<AudioFeatures>,
): AsyncGenerator<DrawnPicture> {
  const [width, height] = [Math.ceil(scene.width / scale), Math.ceil(scene.height / scale)]
  const wide = width + 2 * sidePadding
  const canvas = scene.drawing.createCanvas(wide, height)
  const pen = canvas.getContext('2d')
  for await (const moment of moments) {
    const picture = await next()
    const { zoom, channelShift } = beat.at(moment)
    const [across, down] = [width * zoom, height * zoom]
    pen.globalCompositeOperation = 'copy'
    pen.drawImage(picture, (wide - across) / 2, (height - down) / 2, across, down)
    pen.globalCompositeOperation = 'source-over'
    pen.save()
    pen.translate(sidePadding, 0)
    pen.scale(1 / scale, 1 / scale)
    template.drawMoving(pen, moment)
    pen.restore()
    yield { pixels: canvas.data(), channelShift: Math.round(channelShift / scale) }
  }
}

/** What is behind all: one picture, or the frames of a video, which are shaded so that words can be read on them. */
export interface Background {
  readonly picture: Canvas | VideoFrames
  /** Nothing in it is so fine that half as many pixels a side would not show it. */
  readonly soft: boolean
}

/** Answers what is behind frame after frame, the same memory each time. */
function backgroundFrames(
  scene: Scene,
  picture: Background['picture'],
  scale: number,
): () => Promise<Canvas> {
  return 'frames' in picture ? videoBackground(scene, picture) : stillBackground(scene, picture, scale)
}

/** Answers a picture as small as it is drawn. */
function stillBackground({ drawing }: Scene, picture: Canvas, scale: number): () => Promise<Canvas> {
  if (scale === 1) return async () => picture
  const small = drawing.createCanvas(Math.ceil(picture.width / scale), Math.ceil(picture.height / scale))
  const pen = small.getContext('2d')
  pen.imageSmoothingQuality = 'high'
  pen.drawImage(picture, 0, 0, small.width, small.height)
  return async () => small
}

/** Answers a video's next frame, shaded, each on the same canvas; where it has no more, its last one stays. */
function videoBackground({ drawing }: Scene, { size, frames }: VideoFrames): () => Promise<Canvas> {
  const canvas = drawing.createCanvas(size.width, size.height)
  const pen = canvas.getContext('2d')
  return async () => {
    const { value, done } = await frames.next()
    if (!done) {
      // Over the same memory, which is new for every frame.
      const pixels = new Uint8ClampedArray(value.buffer, value.byteOffset, value.length)
      pen.putImageData(new drawing.ImageData(pixels, size.width, size.height), 0, 0)
      darken(pen, size)
    }
    return canvas
  }
}

/** Something drawn once that is laid over many frames: red, green, blue and alpha of the pixels of a box. */
interface StillLayer {
  readonly box: Rect
  readonly pixels: Uint8Array
}

/** What is drawn on a canvas, without the empty space around it. */
function cropToContent(canvas: Canvas): StillLayer {
  const { width, height } = canvas
  const all = canvas.getContext('2d').getImageData(0, 0, width, height).data
  let [left, right, top, bottom] = [width, 0, height, 0]
  for (let at = 3; at < all.length; at += 4) {
    if (all[at] === 0) continue
    const pixel = (at - 3) / 4
    const [x, y] = [pixel % width, Math.floor(pixel / width)]
    left = Math.min(left, x)
    right = Math.max(right, x + 1)
    top = Math.min(top, y)
    bottom = y + 1
  }
  const box = clampToFrame(canvas, { x: left, y: top, width: right - left, height: bottom - top })
  const pixels = new Uint8Array(box.width * box.height * 4)
  for (let row = 0; row < box.height; row += 1) {
    const from = 4 * ((box.y + row) * width + box.x)
    pixels.set(all.subarray(from, from + 4 * box.width), 4 * row * box.width)
  }
  return { box, pixels }
}
