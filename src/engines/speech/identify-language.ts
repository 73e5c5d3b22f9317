import { availableParallelism } from 'node:os'
import type { Tensor } from 'onnxruntime-node'
import { MediaError } from '../../contract/errors.ts'
import { whisperFeatures, whisperFrames } from '../../media/audio/log-mel.ts'
import { languageProbabilities, startOfTranscriptToken } from '../../media/speech/recogniser-languages.ts'
import { openOnnxModel, type OnnxModel } from '../onnx/session.ts'
import { resolvePack } from '../packs/use.ts'
import { findModelFiles } from './sherpa/model-files.ts'
import type { LanguageIdentifier } from './speech-engines.ts'

/** Packs of models that tell languages, what is set first, then the fastest. */
export const languageIdentifierPacks = ['whisper', 'whisper-tiny', 'whisper-turbo'] as const

/** Languages that are told. */
const candidateCount = 5

/** Least tokens of a model for many languages; those for English alone have one less. */
const multilingualTokens = 51_865

/** Length of what Whisper remembers of a transcript, where its file does not tell. */
const defaultContext = 448

/** Opens one of Whisper's models for its languages; 6401 where it, or what runs it, is not there. */
export async function openLanguageIdentifier(
  pack: (typeof languageIdentifierPacks)[number],
  signal: AbortSignal,
): Promise<LanguageIdentifier> {
  const files = await findModelFiles(pack, await resolvePack(pack, { signal }), ['encoder', 'decoder'])
  const threads = Math.min(4, availableParallelism())
  await using opened = new AsyncDisposableStack()
  const encoder = opened.use(await openOnnxModel(pack, files.encoder, threads))
  const decoder = opened.use(await openOnnxModel(pack, files.decoder, threads))
  const bands = melBands(pack, encoder)
  const kept = opened.move()
  return {
    name: pack,
    async identify(sound, { signal: until }) {
      until.throwIfAborted()
      const mel = new encoder.onnx.Tensor('float32', whisperFeatures(sound, bands), [1, bands, whisperFrames])
      const told = await encoder.run({ [encoder.session.inputNames[0] ?? '']: mel })
      until.throwIfAborted()
      if (!told['n_layer_cross_k'] || !told['n_layer_cross_v'])
        throw unsuitableModel(pack, 'its encoder answers no keys')
      const expected = await firstTokenLogits(decoder, told)
      if (expected.length < multilingualTokens) throw unsuitableModel(pack, 'it knows English alone')
      const found = languageProbabilities(expected)
      if (!found.every(({ probability }) => Number.isFinite(probability))) {
        throw unsuitableModel(pack, 'its answer has no numbers')
      }
      return found.slice(0, candidateCount)
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

function melBands(pack: string, { session }: OnnxModel): number {
  const [input] = session.inputMetadata
  const bands = input?.isTensor ? input.shape[1] : undefined
  if (bands === 80 || bands === 128) return bands
  throw unsuitableModel(pack, 'its encoder takes no 80 or 128 bands')
}

/** What the decoder expects of each token after the start of a transcript. */
async function firstTokenLogits(
  { onnx, session, run }: OnnxModel,
  cross: Readonly<Record<string, unknown>>,
): Promise<ArrayLike<number>> {
  const keys = cross['n_layer_cross_k'] as Tensor
  const [layers = 1, , , width = 1] = keys.dims
  const cache = session.inputMetadata.find(({ name }) => name === 'in_n_layer_self_k_cache')
  const context = cache?.isTensor ? cache.shape[2] : undefined
  const shape = [layers, 1, typeof context === 'number' && context > 0 ? context : defaultContext, width]
  const empty = () => new onnx.Tensor('float32', new Float32Array(shape.reduce((a, b) => a * b, 1)), shape)
  const { logits } = await run({
    tokens: new onnx.Tensor('int64', BigInt64Array.of(BigInt(startOfTranscriptToken)), [1, 1]),
    in_n_layer_self_k_cache: empty(),
    in_n_layer_self_v_cache: empty(),
    n_layer_cross_k: keys,
    n_layer_cross_v: cross['n_layer_cross_v'] as Tensor,
    offset: new onnx.Tensor('int64', BigInt64Array.of(0n), [1]),
  })
  return logits?.data as Float32Array
}

function unsuitableModel(pack: string, what: string): MediaError {
  return new MediaError(6401, `the model ${pack} cannot tell languages: ${what}`, {
    retryable: false,
    hint: 'Use Whisper for many languages as sherpa-onnx exports it: reelwright models pull whisper-tiny',
  })
}
