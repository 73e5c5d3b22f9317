import { MediaError } from '../../../contract/errors.ts'
import { resolvePack } from '../../packs/resolve.ts'
import type { VoiceCloner } from '../speech-engines.ts'
import { findModelFiles } from './model-files.ts'
import { invalidResult, parseAudio, startSherpaProcess } from './process.ts'

/** Amplitude below which sound is silent, linear. */
const silenceAmplitude = 1e-4

/** Languages that ZipVoice supports. */
export const zipvoiceLanguages: readonly string[] = ['zh-CN', 'en-US']

/** Opens ZipVoice. Throws 6401 if it or sherpa-onnx is missing. */
export async function openZipvoice(signal: AbortSignal): Promise<VoiceCloner> {
  const path = await resolvePack('zipvoice', { signal })
  const files = await findModelFiles('zipvoice', path, [
    ...(['encoder', 'decoder', 'vocoder', 'tokens', 'lexicon', 'dataDir'] as const),
  ])
  const settings = { model: { zipvoice: files, numThreads: 2, provider: 'cpu' } }
  const sherpa = await startSherpaProcess({ model: 'zipvoice', kind: 'voice', settings }, { signal })
  return {
    name: 'zipvoice',
    languages: zipvoiceLanguages,
    async speak({ text, language, reference, speed }, { signal: requestSignal }) {
      if (!zipvoiceLanguages.includes(language)) throw unsupportedLanguage(language)
      const { samples, rate } = reference
      const result = await sherpa.request(
        { samples, rate, speak: { text, reference: reference.text, speed } },
        requestSignal,
      )
      const spoken = parseAudio(result, { model: 'zipvoice' })
      if (!spoken.samples.some((sample) => Math.abs(sample) > silenceAmplitude)) {
        throw invalidResult('zipvoice', 'the speech is silent')
      }
      return spoken
    },
    [Symbol.asyncDispose]: () => sherpa[Symbol.asyncDispose](),
  }
}

function unsupportedLanguage(language: string): MediaError {
  return new MediaError(6401, `ZipVoice does not support ${language}`, {
    retryable: false,
    hint: 'Set voice_service (REELWRIGHT_VOICE_SERVICE) to a service that supports it.',
  })
}
