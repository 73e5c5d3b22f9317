import type { Canvas } from '../../src/engines/canvas/drawing.ts'
import type { AudioFeatures } from '../../src/media/audio/audio-features.ts'
import type { Rect } from '../../src/media/geometry.ts'
import { darken } from './built-in-images.ts'
import type { VideoFrames } from './read-images.ts'
import { clampToFrame, type Scene, type Template, type TruncatedField } from './scene.ts'

/** The drawing of one frame. */
export interface DrawnPicture {
  /** RGBA pixels. */
  readonly pixels: Uint8Array
  /** Channel shift still to apply: pixels by which red moves to the left, and green and blue to the right. */
  readonly channelShift: number
}

/** A prepared drawing: the still picture and a generator of the moving part. */
export interface PreparedDrawing {
  /** RGBA pixels of the whole still frame; undefined if everything moves. */
  readonly still: Uint8Array | undefined
  /** Position of the drawn frames in the video. */
  readonly region: Rect
  /** Scale from drawn frames to the video: 2 if everything moves and is soft. */
  readonly scale: 1 | 2
  /** Pixels drawn beyond the region on the left and right; a channel shift moves them in. */
  readonly sidePadding: number
  /** Text fields that were truncated. */
  readonly truncated: readonly TruncatedField[]
  /** Still layer that ffmpeg lays over every frame; undefined if the frames contain it. */
  readonly overlay: StillLayer | undefined
  /** Draws the region, frame by frame. */
  frames(moments: AsyncIterable<AudioFeatures>): AsyncGenerator<DrawnPicture>
}

interface StillView {
  readonly scene: Scene
  readonly template: Template
  /** The still parts, including the background if it is still. */
  readonly plate: Canvas
}

/** Shorter side of a video from which half the resolution is enough for channel shifts, pixels. */
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

/** Draws the moving region over its part of the still picture. */
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
    // Copying is faster than blending over the previous frame, which is fully covered.
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

/** Draws the whole frame, because the background moves. */
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

/** Draws still and moving parts over the next background frame. */
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

/** Context of frames whose background moves with the music. */
interface BeatView {
  readonly scene: Scene
  readonly template: Template
  readonly beat: NonNullable<Template['beatEffect']>
  readonly next: () => Promise<Canvas>
  /** Scale from drawn frames to the video. */
  readonly scale: number
  /** Pixels drawn beyond the frame on the left and right. */
  readonly sidePadding: number
}

/** Draws background and moving parts of every frame; ffmpeg lays the still parts over them. */
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

/** The background: a picture, or a video that is darkened for readable text. */
export interface Background {
  readonly picture: Canvas | VideoFrames
  /** Whether half the resolution shows the same. */
  readonly soft: boolean
}

/** Returns a function that returns the next background frame, on the same canvas each time. */
function backgroundFrames(
  scene: Scene,
  picture: Background['picture'],
  scale: number,
): () => Promise<Canvas> {
  return 'frames' in picture ? videoBackground(scene, picture) : stillBackground(scene, picture, scale)
}

/** Scales a still background to the drawn size. */
function stillBackground({ drawing }: Scene, picture: Canvas, scale: number): () => Promise<Canvas> {
  if (scale === 1) return async () => picture
  const small = drawing.createCanvas(Math.ceil(picture.width / scale), Math.ceil(picture.height / scale))
  const pen = small.getContext('2d')
  pen.imageSmoothingQuality = 'high'
  pen.drawImage(picture, 0, 0, small.width, small.height)
  return async () => small
}

/** Returns darkened frames of a video on the same canvas; after its end, the last frame. */
function videoBackground({ drawing }: Scene, { size, frames }: VideoFrames): () => Promise<Canvas> {
  const canvas = drawing.createCanvas(size.width, size.height)
  const pen = canvas.getContext('2d')
  return async () => {
    const { value, done } = await frames.next()
    if (!done) {
      // A view of the frame's own memory, without a copy.
      const pixels = new Uint8ClampedArray(value.buffer, value.byteOffset, value.length)
      pen.putImageData(new drawing.ImageData(pixels, size.width, size.height), 0, 0)
      darken(pen, size)
    }
    return canvas
  }
}

/** A still layer over many frames: RGBA pixels of a rectangle. */
interface StillLayer {
  readonly box: Rect
  readonly pixels: Uint8Array
}

/** Crops a canvas to its non-transparent content. */
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
