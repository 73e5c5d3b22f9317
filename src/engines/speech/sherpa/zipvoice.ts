import { MediaError } from '../../../contract/errors.ts'
import { resolvePack } from '../../packs/use.ts'
import type { VoiceCloner } from '../speech-engines.ts'
import { findModelFiles } from './model-files.ts'
import { invalidResult, parseAudio, startSherpaProcess } from './process.ts'

/** Sound below this is silence, of 1. */
const silenceAmplitude = 1e-4

/** Languages that ZipVoice speaks. */
export const zipvoiceLanguages: readonly string[] = ['zh-CN', 'en-US']

/** Opens ZipVoice; 6401 where it, or what runs it, is not there. */
export async function openZipvoice(signal: AbortSignal): Promise<VoiceCloner> {
  const place = await resolvePack('zipvoice', { signal })
  const files = await findModelFiles('zipvoice', place, [
    ...(['encoder', 'decoder', 'vocoder', 'tokens', 'lexicon', 'dataDir'] as const),
  ])
  const settings = { model: { zipvoice: files, numThreads: 2, provider: 'cpu' } }
  const sherpa = await startSherpaProcess({ model: 'zipvoice', kind: 'voice', settings }, { signal })
  return {
    name: 'zipvoice',
    languages: zipvoiceLanguages,
    async speak({ text, language, reference, speed }, { signal: until }) {
      if (!zipvoiceLanguages.includes(language)) throw unsupportedLanguage(language)
      const { samples, rate } = reference
      const told = await sherpa.request(
        { samples, rate, speak: { text, reference: reference.text, speed } },
        until,
      )
      const spoken = parseAudio(told, { model: 'zipvoice' })
      if (!spoken.samples.some((sample) => Math.abs(sample) > silenceAmplitude)) {
        throw invalidResult('zipvoice', 'it answers silence')
      }
      return spoken
    },
    [Symbol.asyncDispose]: () => sherpa[Symbol.asyncDispose](),
  }
}

function unsupportedLanguage(language: string): MediaError {
  return new MediaError(6401, `ZipVoice does not speak ${language}`, {
    retryable: false,
    hint: 'Set voice_service (REELWRIGHT_VOICE_SERVICE) to a service that does.',
  })
}
