import { speechRate } from '../../../media/speech/spoken.ts'
import { findPack } from '../../packs/use.ts'
import type { SpeechCallOptions } from '../speech.ts'
import { startSherpaProcess } from './process.ts'
import { invalidResult } from './samples.ts'

/** Tells voices apart. */
export interface SpeakerEmbedder extends AsyncDisposable {
  readonly name: string
  /** What is a voice's own in sound of 16 kHz, a vector of length 1; null where there is too little of it. */
  embed(sound: Float32Array, wish: SpeechCallOptions): Promise<Float32Array | null>
}

/** Opens the model for it; null where it is not there. */
export async function openSpeakerEmbedder(signal: AbortSignal): Promise<SpeakerEmbedder | null> {
  const model = await findPack('speaker-embedding')
  if (model === null) return null
  const name = 'speaker-embedding'
  const settings = { model, numThreads: 2, provider: 'cpu' }
  const sherpa = await startSherpaProcess({ model: name, kind: 'embedding', settings }, { signal })
  return {
    name,
    async embed(sound, { signal: until }) {
      const told = await sherpa.request({ samples: sound, rate: speechRate }, until)
      if (told === null) return null
      if (!(told instanceof Float32Array) || told.length === 0)
        throw invalidResult(name, 'its answer is no vector')
      const length = Math.hypot(...told)
      if (!Number.isFinite(length)) throw invalidResult(name, 'its vector has no numbers')
      return length === 0 ? null : told.map((value) => value / length)
    },
    [Symbol.asyncDispose]: () => sherpa[Symbol.asyncDispose](),
  }
}
