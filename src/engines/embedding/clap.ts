import { join } from 'node:path'
import {
  clapBands,
  ClapFeatures,
  clapFrames,
  clapRate,
  clapSamples,
} from '../../media/audio/clap-features.ts'
import { spreadPieces } from '../../media/audio/spread-pieces.ts'
import { decodeVoice } from '../ffmpeg/sound.ts'
import { clapFiles } from '../packs/embedding-packs.ts'
import type { SoundModel, SoundVector } from './sound-model.ts'
import { boundedTokens, createTokenizer, readModelJson, withTokenizerErrors } from './text-tokens.ts'
import { towerOpener, towerVector } from './towers.ts'

/** Pack of the model. */
export const clapPack = 'clap'

/** Model, export and version of our preprocessing. */
export const clapSpace = 'clap-htsat-unfused/c28f288/1'

/** Tokens of a text at most, as the model was trained. */
const maxTokens = 77

/** Pieces of 10 s that are embedded, at most; a piece of less than 1 s only where it is the whole sound. */
const pieces = { size: clapSamples, limit: 8, least: clapRate }

/** Time limit of decoding, ms. An hour of music takes about 8 s. */
const decodeTimeoutMs = 600_000

/** Turns texts into token ids. */
type ClapTokenizer = (text: string) => number[]

/** Opens the tokenizer in the folder of the model: that of RoBERTa, which needs no configuration. Throws 6401. */
async function openClapTokenizer(folder: string): Promise<ClapTokenizer> {
  return await withTokenizerErrors('CLAP', async () => {
    const definition = await readModelJson(join(folder, clapFiles.tokenizer))
    return boundedTokens(await createTokenizer(definition, {}), maxTokens)
  })
}

const openTowers = towerOpener<ClapTokenizer>()

/** Opens the installed model; its towers are loaded on first use. Throws 6401. */
export async function openClap(threads: number): Promise<SoundModel> {
  const files = { pack: clapPack, textFile: clapFiles.text, openTokenizer: openClapTokenizer } as const
  const lease = await openTowers(files, threads)
  const towers = lease.value
  const features = new ClapFeatures()
  return {
    name: clapPack,
    space: clapSpace,
    async embedText(text) {
      const { tokenizer, tower } = await towers.text()
      const ids = BigInt64Array.from(tokenizer(text), BigInt)
      const tensor = (data: BigInt64Array) => new tower.onnx.Tensor('int64', data, [1, data.length])
      // Exports differ in whether they have the mask. A single text has no padding.
      const isMasked = tower.session.inputNames.includes('attention_mask')
      const inputs = {
        input_ids: tensor(ids),
        ...(isMasked && { attention_mask: tensor(new BigInt64Array(ids.length).fill(1n)) }),
      }
      return await towerVector({ pack: clapPack, output: 'text_embeds' }, tower, inputs)
    },
    async embedSound(path, { signal }) {
      const decoding = { signal, timeoutMs: decodeTimeoutMs, rate: clapRate }
      const vectors: SoundVector[] = []
      for (const { from, samples } of await spreadPieces(decodeVoice(path, decoding), pieces)) {
        signal.throwIfAborted()
        const tower = await towers.main()
        const shape = [1, 1, clapFrames, clapBands]
        const input = new tower.onnx.Tensor('float32', features.compute(samples), shape)
        const embedded = { pack: clapPack, output: 'audio_embeds' } as const
        const values = await towerVector(embedded, tower, { input_features: input })
        vectors.push({ startMs: Math.round((1000 * from) / clapRate), values })
      }
      return vectors
    },
    [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
  }
}
