import { MediaError } from '../../../contract/errors.ts'
import { usePack } from '../../packs/use.ts'
import type { VoiceCopier } from '../speech.ts'
import { modelFiles } from './model-files.ts'
import { startSherpa } from './process.ts'
import { nonsense, samplesOf } from './samples.ts'

/** Sound below this is silence, of 1. */
const silent = 1e-4

/** Languages that ZipVoice speaks. */
export const zipvoiceLanguages: readonly string[] = ['zh-CN', 'en-US']

/** Opens ZipVoice; 6401 where it, or what runs it, is not there. */
export async function openZipvoice(signal: AbortSignal): Promise<VoiceCopier> {
  const place = await usePack('zipvoice', { signal })
  const files = await modelFiles('zipvoice', place, [
    ...(['encoder', 'decoder', 'vocoder', 'tokens', 'lexicon', 'dataDir'] as const),
  ])
  const settings = { model: { zipvoice: files, numThreads: 2, provider: 'cpu' } }
  const sherpa = await startSherpa({ model: 'zipvoice', part: 'voice', settings }, { signal })
  return {
    name: 'zipvoice',
    languages: zipvoiceLanguages,
    async speak({ text, language, reference, speed }, { signal: until }) {
      if (!zipvoiceLanguages.includes(language)) throw speaksNot(language)
      const { samples, rate } = reference
      const told = await sherpa.ask({ samples, rate, say: { text, reference: reference.text, speed } }, until)
      const spoken = samplesOf(told, { model: 'zipvoice' })
      if (!spoken.samples.some((sample) => Math.abs(sample) > silent)) {
        throw nonsense('zipvoice', 'it answers silence')
      }
      return spoken
    },
    [Symbol.asyncDispose]: () => sherpa[Symbol.asyncDispose](),
  }
}

function speaksNot(language: string): MediaError {
  return new MediaError(6401, `ZipVoice does not speak ${language}`, {
    retryable: false,
    hint: 'Set voice_service (REELWRIGHT_VOICE_SERVICE) to a service that does.',
  })
}
