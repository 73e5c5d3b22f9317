import { speechRate } from '../../../media/speech/spoken.ts'
import { resolvePack } from '../../packs/use.ts'
import type { SpeechCallOptions } from '../speech.ts'
import { parseAudio } from './samples.ts'
import { startSherpaProcess } from './process.ts'

/** Takes what is no voice off speech. */
export interface Denoiser extends AsyncDisposable {
  readonly name: string
  /** The voice in sound of 16 kHz, as long as that. */
  denoise(sound: Float32Array, wish: SpeechCallOptions): Promise<Float32Array>
}

/** Opens GTCRN; 6401 where it, or what runs it, is not there. */
export async function openDenoiser(signal: AbortSignal): Promise<Denoiser> {
  const model = await resolvePack('denoising', { signal })
  const settings = { model: { gtcrn: { model }, numThreads: 1, provider: 'cpu' } }
  const sherpa = await startSherpaProcess({ model: 'gtcrn', kind: 'denoiser', settings }, { signal })
  return {
    name: 'gtcrn',
    async denoise(sound, { signal: until }) {
      const told = await sherpa.request({ samples: sound, rate: speechRate }, until)
      const { samples } = parseAudio(told, { model: 'gtcrn', rate: speechRate })
      const voice = new Float32Array(sound.length)
      voice.set(samples.subarray(0, sound.length))
      return voice
    },
    [Symbol.asyncDispose]: () => sherpa[Symbol.asyncDispose](),
  }
}
