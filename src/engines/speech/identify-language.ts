import { availableParallelism } from 'node:os'
import type { Tensor } from 'onnxruntime-node'
import { MediaError } from '../../contract/errors.ts'
import { whisperFeatures, whisperFrames } from '../../media/audio/log-mel.ts'
import { languageProbabilities, startOfTranscriptToken } from '../../media/speech/recogniser-languages.ts'
import { openOnnxModel, type OnnxModel } from '../onnx/session.ts'
import { resolvePack } from '../packs/resolve.ts'
import { findModelFiles } from './sherpa/model-files.ts'
import type { LanguageIdentifier } from './speech-engines.ts'

/** Packs that identify languages: the user's own model first, then the fastest. */
export const languageIdentifierPacks = ['whisper', 'whisper-tiny', 'whisper-turbo'] as const

/** Number of languages returned. */
const candidateCount = 5

/** Smallest vocabulary of a multilingual model; English-only models have one token less. */
const multilingualTokens = 51_865

/** Context length of the decoder if the model file does not state it, tokens. */
const defaultContext = 448

/** Opens a Whisper model for language identification. Throws 6401 if it or ONNX Runtime is missing. */
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
    async identify(sound, { signal: requestSignal }) {
      requestSignal.throwIfAborted()
      const mel = new encoder.onnx.Tensor('float32', whisperFeatures(sound, bands), [1, bands, whisperFrames])
      const encoded = await encoder.run({ [encoder.session.inputNames[0] ?? '']: mel })
      requestSignal.throwIfAborted()
      if (!encoded['n_layer_cross_k'] || !encoded['n_layer_cross_v'])
        throw unsuitableModel(pack, 'its encoder returns no cross-attention keys')
      const logits = await firstTokenLogits(decoder, encoded)
      if (logits.length < multilingualTokens) throw unsuitableModel(pack, 'it supports English only')
      const found = languageProbabilities(logits)
      if (!found.every(({ probability }) => Number.isFinite(probability))) {
        throw unsuitableModel(pack, 'it returns NaN or infinite values')
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
  throw unsuitableModel(pack, 'its encoder does not take 80 or 128 mel bands')
}

/** Logits of the first token after the start of the transcript. */
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
  return new MediaError(6401, `the model ${pack} cannot identify languages: ${what}`, {
    retryable: false,
    hint: 'Use a multilingual Whisper model exported for sherpa-onnx: reelwright models pull whisper-tiny',
  })
}
