import { availableParallelism } from 'node:os'
import type { PackName } from '../../packs/manifest.ts'
import { findModelFiles } from './model-files.ts'
import type { SherpaSettings } from './talk.ts'

/** A model that recognises speech. */
export interface RecogniserModel {
  /** As results name it, and the pack it comes in. */
  readonly name: PackName
  /** Languages of the contract that it knows by the names it has for them; any where left out. */
  readonly languages?: Readonly<Record<string, string>>
  /** Most sound it takes at once, seconds. */
  readonly longest: number
  /** Its part of sherpa-onnx's settings; a language by the model's own name, empty for any. */
  settings(place: string, language: string): Promise<SherpaSettings>
}

const mandarinCodes = { 'zh-CN': 'zh', 'zh-CHS': 'zh', 'zh-CHT': 'zh' }
const europeanCodes = ['en-US', 'fr-FR', 'de-DE', 'es-ES', 'es-MX', 'pt-PT', 'pt-BR', 'ru-RU']

/** Every recogniser that runs here, the best for its languages first. */
export const localRecogniserModels: readonly RecogniserModel[] = [
  {
    name: 'sense-voice',
    languages: { ...mandarinCodes, 'zh-HK': 'yue', 'en-US': 'en', 'ja-JP': 'ja', 'ko-KR': 'ko' },
    longest: 30,
    async settings(place, language) {
      const { model, tokens } = await findModelFiles('sense-voice', place, ['model', 'tokens'])
      const known = language === '' ? 'auto' : language
      return { senseVoice: { model, language: known, useInverseTextNormalization: 1 }, tokens }
    },
  },
  {
    name: 'parakeet',
    languages: Object.fromEntries(europeanCodes.map((code) => [code, ''])),
    longest: 30,
    async settings(place) {
      const files = await findModelFiles('parakeet', place, ['encoder', 'decoder', 'joiner', 'tokens'])
      const { tokens, ...transducer } = files
      return { transducer, tokens, modelType: 'nemo_transducer' }
    },
  },
  {
    name: 'paraformer',
    languages: { ...mandarinCodes, 'en-US': '' },
    longest: 30,
    async settings(place) {
      const { model, tokens } = await findModelFiles('paraformer', place, ['model', 'tokens'])
      return { paraformer: { model }, tokens }
    },
  },
  whisperModel('whisper-turbo', 'yue'),
  whisperModel('whisper', 'zh'),
]

/** Whisper hears half a minute; only its later models tell Cantonese from Chinese. */
function whisperModel(name: PackName, cantonese: string): RecogniserModel {
  return {
    name,
    longest: 28,
    async settings(place, language) {
      const { encoder, decoder, tokens } = await findModelFiles(name, place, ['encoder', 'decoder', 'tokens'])
      const known = language === 'yue' ? cantonese : language
      const told = { task: 'transcribe', tailPaddings: -1, enableSegmentTimestamps: 1 }
      return { whisper: { encoder, decoder, language: known, ...told }, tokens }
    },
  }
}

/** All of sherpa-onnx's settings for a model and a language of the contract. */
export async function recogniserSettings(
  { languages, settings }: RecogniserModel,
  place: string,
  language: string | undefined,
): Promise<SherpaSettings> {
  const known =
    (language === undefined ? '' : languages ? languages[language] : whisperLanguageName(language)) ?? ''
  return {
    featConfig: { sampleRate: 16_000, featureDim: 80 },
    modelConfig: {
      ...(await settings(place, known)),
      numThreads: Math.min(4, availableParallelism()),
      provider: 'cpu',
    },
  }
}

/** A language of the contract by ISO 639, as Whisper names it. */
function whisperLanguageName(language: string): string {
  if (language === 'zh-HK') return 'yue'
  const [first = ''] = language.split('-')
  // Filipino is Tagalog there.
  return first === 'fil' ? 'tl' : first
}
