import type { Canvas } from '../../src/engines/canvas/load.ts'
import type { Moment } from '../../src/media/audio/moments.ts'
import { partColours } from './layers.ts'
import type { Scene, Template } from './scene.ts'

/** What a frame is drawn with whose background moves with the music. */
interface View {
  readonly scene: Scene
  readonly template: Template
  readonly beat: NonNullable<Template['beat']>
  readonly next: () => Promise<Canvas>
  /** Pixels of the result that one drawn stands for, along each side. */
  readonly scale: number
}

/** Draws all that moves for every frame, each in the memory of the one before; what stands still is laid over it. */
export async function* drawBeating(
  { scene, template, beat, next, scale }: View,
  moments: AsyncIterable<Moment>,
): AsyncGenerator<Uint8Array> {
  const [width, height] = [Math.ceil(scene.width / scale), Math.ceil(scene.height / scale)]
  // Wider than the frame: as its colours part, what is beside it comes in.
  const beside = Math.ceil(beat.apart / scale)
  const wide = width + 2 * beside
  const canvas = scene.drawing.createCanvas(wide, height)
  const pen = canvas.getContext('2d')
  const frame = new Uint8Array(width * height * 4)
  for await (const moment of moments) {
    const picture = await next()
    const { larger, apart } = beat.at(moment)
    const [across, down] = [width * larger, height * larger]
    pen.globalCompositeOperation = 'copy'
    pen.drawImage(picture, (wide - across) / 2, (height - down) / 2, across, down)
    pen.globalCompositeOperation = 'source-over'
    pen.save()
    pen.translate(beside, 0)
    pen.scale(1 / scale, 1 / scale)
    template.moving(pen, moment)
    pen.restore()
    partColours(canvas.data(), frame, { from: wide, to: width, apart: Math.round(apart / scale) })
    yield frame
  }
}
