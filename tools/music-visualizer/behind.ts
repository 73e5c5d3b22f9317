import type { Canvas } from '../../src/engines/canvas/load.ts'
import { darken } from './backdrop.ts'
import type { VideoFrames } from './pictures.ts'
import type { Scene } from './scene.ts'

/** What is behind all: one picture, or the frames of a video, which are shaded so that words can be read on them. */
export interface Background {
  readonly picture: Canvas | VideoFrames
  /** Nothing in it is so fine that half as many pixels a side would not show it. */
  readonly soft: boolean
}

/** Answers what is behind frame after frame, the same memory each time. */
export function backgroundFrames(
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
