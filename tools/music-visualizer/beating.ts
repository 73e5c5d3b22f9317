import type { Canvas } from '../../src/engines/canvas/load.ts'
import type { AudioFeatures } from '../../src/media/audio/moments.ts'
import type { Picture } from './frames.ts'
import type { Scene, Template } from './scene.ts'

/** What a frame is drawn with whose background moves with the music. */
interface View {
  readonly scene: Scene
  readonly template: Template
  readonly beat: NonNullable<Template['beat']>
  readonly next: () => Promise<Canvas>
  /** Pixels of the result that one drawn stands for, along each side. */
  readonly scale: number
  /** Pixels drawn beyond the frame on both sides. */
  readonly beside: number
}

/** Draws all that moves for every frame; what stands still is laid over it. */
export async function* drawBeating(
  { scene, template, beat, next, scale, beside }: View,
  moments: AsyncIterable<AudioFeatures>,
): AsyncGenerator<Picture> {
  const [width, height] = [Math.ceil(scene.width / scale), Math.ceil(scene.height / scale)]
  const wide = width + 2 * beside
  const canvas = scene.drawing.createCanvas(wide, height)
  const pen = canvas.getContext('2d')
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
    yield { pixels: canvas.data(), apart: Math.round(apart / scale) }
  }
}
