import type { Canvas } from '../../src/engines/canvas/load.ts'
import type { AudioFeatures } from '../../src/media/audio/moments.ts'
import type { DrawnPicture } from './frames.ts'
import type { Scene, Template } from './scene.ts'

/** What a frame is drawn with whose background moves with the music. */
interface BeatView {
  readonly scene: Scene
  readonly template: Template
  readonly beat: NonNullable<Template['beatEffect']>
  readonly next: () => Promise<Canvas>
  /** Pixels of the result that one drawn stands for, along each side. */
  readonly scale: number
  /** Pixels drawn beyond the frame on both sides. */
  readonly beside: number
}

/** Draws all that moves for every frame; what stands still is laid over it. */
export async function* drawBeatFrames(
  { scene, template, beat, next, scale, beside }: BeatView,
  moments: AsyncIterable<AudioFeatures>,
): AsyncGenerator<DrawnPicture> {
  const [width, height] = [Math.ceil(scene.width / scale), Math.ceil(scene.height / scale)]
  const wide = width + 2 * beside
  const canvas = scene.drawing.createCanvas(wide, height)
  const pen = canvas.getContext('2d')
  for await (const moment of moments) {
    const picture = await next()
    const { zoom: larger, channelShift: apart } = beat.at(moment)
    const [across, down] = [width * larger, height * larger]
    pen.globalCompositeOperation = 'copy'
    pen.drawImage(picture, (wide - across) / 2, (height - down) / 2, across, down)
    pen.globalCompositeOperation = 'source-over'
    pen.save()
    pen.translate(beside, 0)
    pen.scale(1 / scale, 1 / scale)
    template.drawMoving(pen, moment)
    pen.restore()
    yield { pixels: canvas.data(), channelShift: Math.round(apart / scale) }
  }
}
