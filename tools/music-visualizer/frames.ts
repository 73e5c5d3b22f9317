import type { Canvas } from '../../src/engines/canvas/load.ts'
import type { AudioFeatures } from '../../src/media/audio/moments.ts'
import { drawBeating } from './beating.ts'
import { nextPicture, type Backdrop } from './behind.ts'
import { layerOf, type Layer } from './layers.ts'
import type { Cut, Scene, Template } from './scene.ts'
import type { Rect } from '../../src/media/geometry.ts'

/** What is drawn for one frame. */
export interface Picture {
  /** Of four bytes each. */
  readonly pixels: Uint8Array
  /** How far its colours are yet to be parted: red moves so many pixels to the left, green and blue to the right. */
  readonly apart: number
}

/** A result as it is drawn: what stands still, and the part that is drawn anew for every frame. */
export interface Drawn {
  /** Four-byte pixels of the whole frame; undefined where all of it moves. */
  readonly still: Uint8Array | undefined
  /** Where the frames belong. */
  readonly region: Rect
  /** Pixels of the result that one of a frame stands for, along each side: 2 where all of it moves and is soft. */
  readonly scale: 1 | 2
  /** Pixels that a picture has beyond the region on both sides: as its colours part, they come in. */
  readonly beside: number
  /** Of the words that stand still, those that do not show whole. */
  readonly cut: readonly Cut[]
  /** What ffmpeg lays over every frame; undefined where that is drawn already. */
  readonly over: Layer | undefined
  /** Pictures of the region, frame by frame. */
  frames(moments: AsyncIterable<AudioFeatures>): AsyncGenerator<Picture>
}

interface View {
  readonly scene: Scene
  readonly template: Template
  /** What stands still; the backdrop, too, where that does. */
  readonly plate: Canvas
}

/** Shorter side of a result, pixels, from which on half as many are enough for how far colours part. */
const leastHalved = 360

/** Prepares a template to be drawn over a background. */
export function prepare(scene: Scene, template: Template, backdrop: Backdrop): Drawn {
  const { width, height } = scene
  const plate = scene.drawing.createCanvas(width, height)
  const pen = plate.getContext('2d')
  const view = { scene, template, plate }
  const { picture } = backdrop
  if (!('frames' in picture) && !template.beat) {
    pen.drawImage(picture, 0, 0)
    const cut = template.still(pen)
    const still = plate.data()
    return {
      ...{ cut, still, region: template.region, scale: 1, beside: 0, over: undefined },
      frames: (moments) => drawRegion(view, moments),
    }
  }
  const cut = template.still(pen)
  const scale = template.beat && backdrop.soft && scene.unit >= leastHalved ? 2 : 1
  const beside = template.beat ? Math.ceil(template.beat.apart / scale) : 0
  return {
    ...{ cut, still: undefined, region: { x: 0, y: 0, width, height }, scale, beside },
    over: template.beat && layerOf(plate),
    frames: (moments) => drawAll({ ...view, picture, scale, beside }, moments),
  }
}

/** Only the part that moves, over its part of what stands still. */
async function* drawRegion(
  { scene, template, plate }: View,
  moments: AsyncIterable<AudioFeatures>,
): AsyncGenerator<Picture> {
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
    template.moving(pen, moment)
    pen.restore()
    yield { pixels: canvas.data(), apart: 0 }
  }
}

/** Everything, because the background moves. */
async function* drawAll(
  { picture, scale, beside, ...view }: View & Pick<Drawn, 'scale' | 'beside'> & Pick<Backdrop, 'picture'>,
  moments: AsyncIterable<AudioFeatures>,
): AsyncGenerator<Picture> {
  const { scene, template } = view
  const next = nextPicture(scene, picture, scale)
  try {
    if (template.beat)
      yield* drawBeating({ scene, template, beat: template.beat, next, scale, beside }, moments)
    else yield* drawOver({ ...view, next }, moments)
  } finally {
    if ('frames' in picture) await picture.frames.return(undefined)
  }
}

/** What stands still and what moves, over the next picture for every frame. */
async function* drawOver(
  { scene, template, plate, next }: View & { readonly next: () => Promise<Canvas> },
  moments: AsyncIterable<AudioFeatures>,
): AsyncGenerator<Picture> {
  const { x, y, width, height } = layerOf(plate).box
  const canvas = scene.drawing.createCanvas(scene.width, scene.height)
  const pen = canvas.getContext('2d')
  for await (const moment of moments) {
    const picture = await next()
    pen.globalCompositeOperation = 'copy'
    pen.drawImage(picture, 0, 0, scene.width, scene.height)
    pen.globalCompositeOperation = 'source-over'
    pen.drawImage(plate, x, y, width, height, x, y, width, height)
    pen.save()
    template.moving(pen, moment)
    pen.restore()
    yield { pixels: canvas.data(), apart: 0 }
  }
}
