import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { EmbeddingModel } from '../../src/engines/embedding/embedding-model.ts'
import { locateFfmpeg } from '../../src/engines/ffmpeg/locate.ts'

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
  const { ffmpeg } = await locateFfmpeg()
  const args = ['-v', 'error', '-i', path, '-vf', 'scale=1:1:flags=area,format=rgb24', '-f', 'rawvideo', '-']
  const { stdout } = await promisify(execFile)(ffmpeg, args, { encoding: 'buffer' })
  return [...stdout.subarray(0, 3)].map((value) => value / 255)
}

/** Returns the sum of vectors, with length 1. */
export function unitVector(parts: readonly (readonly number[])[]): Float32Array {
  const sum = new Float32Array(1024)
  for (const part of parts)
    for (const [index, value] of part.entries()) sum[index] = (sum[index] ?? 0) + value
  const length = Math.hypot(...sum) || 1
  return sum.map((value) => value / length)
}
