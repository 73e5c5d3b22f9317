import type { Canvas } from '../../src/engines/canvas/load.ts'
import type { AudioFeatures } from '../../src/media/audio/moments.ts'
import { drawBeatFrames } from './beating.ts'
import { backgroundFrames, type Background } from './behind.ts'
import { cropToContent, type StillLayer } from './layers.ts'
import type { TruncatedField, Scene, Template } from './scene.ts'
import type { Rect } from '../../src/media/geometry.ts'

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
    const cut = template.drawStill(pen)
    const still = plate.data()
    return {
      ...{ truncated: cut, still, region: template.region, scale: 1, sidePadding: 0, overlay: undefined },
      frames: (moments) => drawRegion(view, moments),
    }
  }
  const cut = template.drawStill(pen)
  const scale = template.beatEffect && backdrop.soft && scene.unit >= minHalvedSide ? 2 : 1
  const beside = template.beatEffect ? Math.ceil(template.beatEffect.apart / scale) : 0
  return {
    ...{
      truncated: cut,
      still: undefined,
      region: { x: 0, y: 0, width, height },
      scale,
      sidePadding: beside,
    },
    overlay: template.beatEffect && cropToContent(plate),
    frames: (moments) => drawAll({ ...view, picture, scale, sidePadding: beside }, moments),
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
    sidePadding: beside,
    ...view
  }: StillView & Pick<PreparedDrawing, 'scale' | 'beside'> & Pick<Background, 'picture'>,
  moments: AsyncIterable<AudioFeatures>,
): AsyncGenerator<DrawnPicture> {
  const { scene, template } = view
  const next = backgroundFrames(scene, picture, scale)
  try {
    if (template.beatEffect)
      yield* drawBeatFrames({ scene, template, beat: template.beatEffect, next, scale, beside }, moments)
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
