import { fixedWindows, type SampleSource } from '../../media/audio/windows.ts'
import {
  SpeechSpanDetector,
  defaultVoiceActivityRule,
  type VoiceActivityRule,
} from '../../media/speech/speech-spans.ts'
import { speechRate, type TimeSpan } from '../../media/speech/speech-types.ts'
import { openOnnxModel } from '../onnx/session.ts'
import { resolvePack } from '../packs/resolve.ts'

/** Samples per frame, and samples of the previous frame that are repeated as context. */
const vadFrameSamples = 512
const contextSamples = 64

/** Seconds of sound per probability. */
export const vadFrameSeconds = vadFrameSamples / speechRate

/** Voice activity detection. */
export interface VoiceActivityDetector extends AsyncDisposable {
  readonly name: string
  /** Probability of speech, 0 to 1, per frame of 32 ms of mono sound at 16 kHz. The last frame is padded. */
  probabilities(sound: SampleSource, signal: AbortSignal): AsyncGenerator<number>
  /** Spans of speech in mono sound at 16 kHz, in order, each as soon as it ends. */
  detect(
    sound: SampleSource,
    options: { readonly signal: AbortSignal; readonly rule?: VoiceActivityRule },
  ): AsyncGenerator<TimeSpan>
}

/** Opens Silero VAD. Throws 6401 if it or ONNX Runtime is missing. */
export async function openVoiceActivityDetector(signal: AbortSignal): Promise<VoiceActivityDetector> {
  const path = await resolvePack('voice-activity', { signal })
  const model = await openOnnxModel('voice-activity', path)
  const { Tensor } = model.onnx
  const rate = new Tensor('int64', BigInt64Array.of(BigInt(speechRate)), [])

  async function* probabilities(sound: SampleSource, requestSignal: AbortSignal): AsyncGenerator<number> {
    let state = new Tensor('float32', new Float32Array(2 * 128), [2, 1, 128])
    const window = new Float32Array(contextSamples + vadFrameSamples)
    for await (const chunk of fixedWindows(sound, { size: vadFrameSamples })) {
      requestSignal.throwIfAborted()
      window.copyWithin(0, vadFrameSamples)
      window.set(chunk, contextSamples)
      const input = new Tensor('float32', window, [1, window.length])
      const result = await model.run({ input, state, sr: rate })
      state = result['stateN'] as typeof state
      yield Number(result['output']?.data[0])
    }
  }

  return {
    name: 'silero-vad',
    probabilities,
    async *detect(sound, { signal: requestSignal, rule = defaultVoiceActivityRule }) {
      const spans = new SpeechSpanDetector(vadFrameSeconds, rule)
      for await (const probability of probabilities(sound, requestSignal)) {
        const span = spans.add(probability)
        if (span) yield span
      }
      yield* spans.end()
    },
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  }
}
