import {
  SpeechSpanDetector,
  defaultVoiceActivityRule,
  type VoiceActivityRule,
} from '../../media/speech/speech-spans.ts'
import { speechRate, type TimeSpan } from '../../media/speech/speech-types.ts'
import { openOnnxModel } from '../onnx/session.ts'
import { resolvePack } from '../packs/use.ts'

/** Samples that the model hears at once, and those before them that it hears again. */
const frameSamples = 512
const contextSamples = 64

/** Seconds of sound that a probability is about. */
export const vadFrameSeconds = frameSamples / speechRate

/** Finds where somebody speaks. */
export interface VoiceActivityDetector extends AsyncDisposable {
  readonly name: string
  /** How likely it is that somebody speaks, for each `vadFrameSeconds` of sound of 16 kHz, the last one filled up. */
  probabilities(sound: SampleSource, signal: AbortSignal): AsyncGenerator<number>
  /** Spans of speech in sound of 16 kHz, in order, told as soon as each is known. */
  detect(
    sound: SampleSource,
    wish: { readonly signal: AbortSignal; readonly rule?: VoiceActivityRule },
  ): AsyncGenerator<TimeSpan>
}

/** Pieces of any lengths. */
type SampleSource = AsyncIterable<Float32Array> | Iterable<Float32Array>

/** Opens the model that hears speech (Silero VAD); 6401 where it, or what runs it, is not there. */
export async function openVoiceActivityDetector(signal: AbortSignal): Promise<VoiceActivityDetector> {
  const path = await resolvePack('voice-activity', { signal })
  const model = await openOnnxModel('voice-activity', path)
  const { Tensor } = model.onnx
  const rate = new Tensor('int64', BigInt64Array.of(BigInt(speechRate)), [])

  async function* probabilities(sound: SampleSource, until: AbortSignal): AsyncGenerator<number> {
    let state = new Tensor('float32', new Float32Array(2 * 128), [2, 1, 128])
    const window = new Float32Array(contextSamples + frameSamples)
    for await (const piece of fixedFrames(sound, frameSamples)) {
      until.throwIfAborted()
      window.copyWithin(0, frameSamples)
      window.set(piece, contextSamples)
      const input = new Tensor('float32', window, [1, window.length])
      const answer = await model.run({ input, state, sr: rate })
      state = answer['stateN'] as typeof state
      yield Number(answer['output']?.data[0])
    }
  }

  return {
    name: 'silero-vad',
    probabilities,
    async *detect(sound, { signal: until, rule = defaultVoiceActivityRule }) {
      const spans = new SpeechSpanDetector(vadFrameSeconds, rule)
      for await (const probability of probabilities(sound, until)) {
        const span = spans.add(probability)
        if (span) yield span
      }
      yield* spans.end()
    },
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  }
}

/** Cuts sound into equal frames, which are one memory; the last is filled up with silence. */
async function* fixedFrames(sound: SampleSource, size: number): AsyncGenerator<Float32Array> {
  const frame = new Float32Array(size)
  let filled = 0
  for await (const piece of sound) {
    for (let at = 0; at < piece.length;) {
      const count = Math.min(size - filled, piece.length - at)
      frame.set(piece.subarray(at, at + count), filled)
      filled += count
      at += count
      if (filled < size) break
      yield frame
      filled = 0
    }
  }
  if (filled > 0) yield frame.fill(0, filled)
}
