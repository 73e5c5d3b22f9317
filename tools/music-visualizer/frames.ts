import type { Canvas, Pen } from '../../src/engines/canvas/load.ts'
import type { Moment } from '../../src/media/audio/moments.ts'
import { drawShade } from './backdrop.ts'
import type { Frames } from './pictures.ts'
import type { Box, Picture, Scene, Template } from './scene.ts'

/** What is behind all: one picture, or the frames of a video; a file's is shaded so that words can be read on it. */
export interface Backdrop {
  readonly picture: Canvas | Frames
  readonly shaded: boolean
}

/** A result as it is drawn: what stands still, and the part that is drawn anew for every frame. */
export interface Drawn {
  /** Four-byte pixels of the whole frame; undefined where all of it moves. */
  readonly still: Uint8Array | undefined
  /** Where the frames belong. */
  readonly region: Box
  /** Four-byte pixels of the region, frame by frame. */
  frames(moments: AsyncIterable<Moment>): AsyncGenerator<Uint8Array>
}

/** Prepares a template to be drawn over a background. */
export function prepare(scene: Scene, template: Template, backdrop: Backdrop): Drawn {
  const plate = scene.drawing.createCanvas(scene.width, scene.height)
  const pen = plate.getContext('2d')
  const { picture } = backdrop
  if ('frames' in picture || template.behind) {
    if (backdrop.shaded) drawShade(pen, scene)
    template.still(pen)
    return {
      still: undefined,
      region: whole(scene),
      frames: (moments) => drawWhole({ scene, template, plate, picture }, moments),
    }
  }
  pen.drawImage(picture, 0, 0)
  if (backdrop.shaded) drawShade(pen, scene)
  template.still(pen)
  return {
    still: plate.data(),
    region: template.region,
    frames: (moments) => drawRegion({ scene, template, plate }, moments),
  }
}

function whole({ width, height }: Scene): Box {
  return { x: 0, y: 0, width, height }
}

interface View {
  readonly scene: Scene
  readonly template: Template
  readonly plate: Canvas
}

/** Only the part that moves, over its part of what stands still. */
async function* drawRegion(
  { scene, template, plate }: View,
  moments: AsyncIterable<Moment>,
): AsyncGenerator<Uint8Array> {
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
    // A copy: what is handed out may wait to be written while the next frame is drawn on this canvas.
    yield canvas.data()
  }
}

/** Everything, because the background moves. */
async function* drawWhole(
  { scene, template, plate, picture }: View & { readonly picture: Canvas | Frames },
  moments: AsyncIterable<Moment>,
): AsyncGenerator<Uint8Array> {
  const { width, height } = scene
  const canvas = scene.drawing.createCanvas(width, height)
  const pen = canvas.getContext('2d')
  const next =
    'frames' in picture ? videoPicture(scene, picture) : async () => ({ canvas: picture, version: 0 })
  try {
    for await (const moment of moments) {
      const behind = await next()
      drawBehind(pen, { scene, template, moment }, behind)
      pen.drawImage(plate, 0, 0)
      pen.save()
      template.moving(pen, moment)
      pen.restore()
      // A copy, as above.
      yield canvas.data()
    }
  } finally {
    if ('frames' in picture) await picture.frames.return(undefined)
  }
}

function drawBehind(
  pen: Pen,
  { scene, template, moment }: { scene: Scene; template: Template; moment: Moment },
  picture: Picture,
): void {
  pen.globalCompositeOperation = 'copy'
  if (template.behind) template.behind(pen, moment, picture)
  else pen.drawImage(picture.canvas, 0, 0, scene.width, scene.height)
  pen.globalCompositeOperation = 'source-over'
}

/** Answers a video's next frame; where it has no more, its last one stays. */
function videoPicture({ drawing }: Scene, { size, frames }: Frames): () => Promise<Picture> {
  const canvas = drawing.createCanvas(size.width, size.height)
  const pen = canvas.getContext('2d')
  let version = 0
  return async () => {
    const { value, done } = await frames.next()
    if (!done) {
      // Over the same memory, which is new for every frame.
      const pixels = new Uint8ClampedArray(value.buffer, value.byteOffset, value.length)
      pen.putImageData(new drawing.ImageData(pixels, size.width, size.height), 0, 0)
      version += 1
    }
    return { canvas, version }
  }
}
