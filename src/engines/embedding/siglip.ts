import type { embeddingPacks } from '../packs/embedding-packs.ts'
import { findPack } from '../packs/resolve.ts'
import type { EmbeddingModel } from './embedding-model.ts'
import { forImage } from './image-error.ts'
import { openSiglipTokenizer, type SiglipTokenizer, textTokens } from './siglip-tokenizer.ts'
import { readSquarePicture } from './square-picture.ts'
import { withTask } from './task-text.ts'
import { towerOpener, towerVector } from './towers.ts'

/** A SigLIP 2 model of a fixed resolution. */
interface SiglipModel {
  readonly pack: keyof typeof embeddingPacks
  /** Model, resolution, export and version of our preprocessing. */
  readonly space: string
  /** Side of the square picture that the image tower reads, pixels (`preprocessor_config.json`). */
  readonly side: number
  /** File of the text tower, beside the image tower. */
  readonly textFile: string
}

/** All models, the best first. */
export const siglipModels: readonly SiglipModel[] = [
  {
    pack: 'siglip2-large',
    space: 'siglip2-large-patch16-256/c03fb63/1',
    side: 256,
    textFile: 'siglip2-large-patch16-256-text.fp16.onnx',
  },
  {
    pack: 'siglip2-base',
    space: 'siglip2-base-patch16-224/ba1f3b0/1',
    side: 224,
    textFile: 'siglip2-base-patch16-224-text.fp16.onnx',
  },
]

/** The first installed model; undefined if there is none. */
export async function findSiglip(): Promise<SiglipModel | undefined> {
  for (const model of siglipModels) if ((await findPack(model.pack)) !== null) return model
  return undefined
}

const openTowers = towerOpener<SiglipTokenizer>()

/** Opens an installed model; its towers are loaded on first use. Throws 6401. */
export async function openSiglip(model: SiglipModel, threads: number): Promise<EmbeddingModel> {
  const { pack, space, side, textFile } = model
  const lease = await openTowers({ pack, textFile, openTokenizer: openSiglipTokenizer }, threads)
  const towers = lease.value
  const pooled = { pack, output: 'pooler_output' }
  // One item at a time: then a vector does not depend on the others of its request, bit for bit.
  return {
    name: pack,
    space,
    async embedTexts(texts, { task, signal }) {
      const vectors: Float32Array[] = []
      for (const text of texts) {
        signal.throwIfAborted()
        const { tokenizer, tower } = await towers.text()
        const tokens = tokenizer.encode(withTask(text, task))
        const input = new tower.onnx.Tensor('int64', tokens, [1, textTokens])
        vectors.push(await towerVector(pooled, tower, { input_ids: input }))
      }
      return vectors
    },
    async embedImages(paths, { signal }) {
      const vectors: Float32Array[] = []
      for await (const picture of readPictures(paths, side, signal)) {
        const tower = await towers.main()
        const input = new tower.onnx.Tensor('float32', normalizedPlanes(picture), [1, 3, side, side])
        vectors.push(await towerVector(pooled, tower, { pixel_values: input }))
      }
      return vectors
    },
    [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
  }
}

/** Pictures that are decoded at the same time, also while the tower works. */
const decodedAtOnce = 2

/** Reads image files as squares, in order. The first error ends the reading of all. */
async function* readPictures(
  paths: readonly string[],
  side: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const end = new AbortController()
  const either = AbortSignal.any([signal, end.signal])
  const ahead: Promise<Uint8Array>[] = []
  try {
    for (let index = 0, started = 0; index < paths.length; index += 1) {
      for (; started < Math.min(paths.length, index + decodedAtOnce); started += 1) {
        const [path = '', at] = [paths[started], started]
        const picture = forImage(at, () => readSquarePicture(path, side, either))
        // Its error counts once it is its turn.
        picture.catch(() => undefined)
        ahead.push(picture)
      }
      const first = ahead.shift()
      if (first) yield await first
    }
  } finally {
    end.abort()
    await Promise.allSettled(ahead)
  }
}

/** Planar tensor of a picture: shares of 255, minus a mean of 0.5, divided by a deviation of 0.5 (SigLIP's processor). */
export function normalizedPlanes(rgb: Uint8Array): Float32Array {
  const area = rgb.length / 3
  const planes = new Float32Array(rgb.length)
  for (let at = 0; at < area; at += 1) {
    for (let channel = 0; channel < 3; channel += 1)
      planes[channel * area + at] = ((rgb[at * 3 + channel] ?? 0) / 255 - 0.5) / 0.5
  }
  return planes
}
