import { createCanvas, loadImage } from '@napi-rs/canvas'

/** A decoded JPEG. */
interface DecodedJpeg {
  readonly width: number
  readonly height: number
  /** Returns red, green and blue of a pixel, 0 to 255. */
  readonly colour: (x: number, y: number) => number[]
}

/** Decodes a JPEG in this process. */
export async function decodeJpeg(jpeg: Uint8Array): Promise<DecodedJpeg> {
  const image = await loadImage(Buffer.from(jpeg))
  const { width, height } = image
  const pen = createCanvas(width, height).getContext('2d')
  pen.drawImage(image, 0, 0)
  const { data } = pen.getImageData(0, 0, width, height)
  const colour = (x: number, y: number) => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3)]
  return { width, height, colour }
}
