import { createCanvas, loadImage } from '@napi-rs/canvas'
import type { EmbeddingModel } from '../../src/engines/embedding/embedding-model.ts'

const colours: Readonly<Record<string, readonly number[]>> = {
  red: [1, 0, 0],
  green: [0, 1, 0],
  blue: [0, 0, 1],
}

/** A model whose vectors are the mean colour of a picture, and the colours that a text names. */
export function colourModel(space = 'colours-1'): EmbeddingModel & { readonly embedded: string[] } {
  const embedded: string[] = []
  return {
    ...{ name: 'colours', space, embedded },
    embedTexts: async (texts) =>
      texts.map((text) => unitVector(text.split(' ').flatMap((word) => [colours[word] ?? []]))),
    async embedImages(paths) {
      embedded.push(...paths)
      return await Promise.all(paths.map(async (path) => unitVector([await meanColour(path)])))
    },
    [Symbol.asyncDispose]: async () => {},
  }
}

async function meanColour(path: string): Promise<number[]> {
  const image = await loadImage(path)
  const pen = createCanvas(image.width, image.height).getContext('2d')
  pen.drawImage(image, 0, 0)
  const { data } = pen.getImageData(0, 0, image.width, image.height)
  const sums = [0, 0, 0]
  // Four bytes per pixel, of which the last is its opacity.
  for (const [index, value] of data.entries())
    if (index % 4 < 3) sums[index % 4] = (sums[index % 4] ?? 0) + value
  return sums.map((sum) => (4 * sum) / (255 * data.length))
}

/** Returns the sum of vectors, with length 1. */
export function unitVector(parts: readonly (readonly number[])[]): Float32Array {
  const sum = new Float32Array(1024)
  for (const part of parts)
    for (const [index, value] of part.entries()) sum[index] = (sum[index] ?? 0) + value
  const length = Math.hypot(...sum) || 1
  return sum.map((value) => value / length)
}
