import { ListedError } from './errors.ts'

/** Languages of subtitles and of metadata (contract 3, 2.2). */
export const subtitleLanguages = [
  'zh-CHT',
  'zh-CHS',
  'zh-CN',
  'ja-JP',
  'en-US',
  'es-ES',
  'ru-RU',
  'ko-KR',
  'fr-FR',
  'pt-PT',
  'vi-VN',
] as const
export type SubtitleLanguage = (typeof subtitleLanguages)[number]

/** Languages for voice cloning and speech (contract 3, 2.2). */
export const voiceLanguages = ['zh-CN', 'zh-HK', 'en-US', 'ja-JP', 'ko-KR'] as const
export type VoiceLanguage = (typeof voiceLanguages)[number]

/** Spoken languages whose words are recognised with times (contract 3, 2.2). */
export const recognitionLanguages = ['zh-CN', 'zh-CHS', 'zh-CHT', 'en-US', 'ja-JP', 'ko-KR', 'fr-FR'] as const
export type RecognitionLanguage = (typeof recognitionLanguages)[number]

interface RequireLanguageOptions<Language extends string> {
  /** Name of the field, for the error. */
  readonly field: string
  readonly supported: readonly Language[]
  /** What supports only these, such as `the voice anna`; by default the field. */
  readonly by?: string
  /** Alternative for other languages, the end of the fix: a sentence. */
  readonly instead?: string
}

/** Returns a supported language. Throws 6017, with the supported ones, for all other values. */
export function requireLanguage<Language extends string>(
  language: string,
  { field, supported, by, instead }: RequireLanguageOptions<Language>,
): Language {
  const found = supported.find((code) => code === language)
  if (found) return found
  const given = JSON.stringify(language.slice(0, 40))
  const what = by === undefined ? `${given} is not a supported language` : `${by} does not support ${given}`
  const hint = `Use ${listLanguages(supported)}.${instead === undefined ? '' : ` ${instead}`}`
  throw new ListedError(6017, `${field}: ${what}`, { hint })
}

/** Lists languages for an instruction: `en-US, ja-JP or ko-KR`. */
function listLanguages(languages: readonly string[]): string {
  const others = languages.slice(0, -1).join(', ')
  return others === '' ? String(languages.at(-1)) : `${others} or ${languages.at(-1)}`
}

/** Returns a language of subtitles and metadata. Throws 6017 for all other values. */
export function requireSubtitleLanguage(
  language: string,
  { field }: { readonly field: string },
): SubtitleLanguage {
  return requireLanguage(language, { field, supported: subtitleLanguages })
}

/** Known languages without recognition of words: as the spoken language they return 6015 (contract 3, 2.2). */
const languagesWithoutWords: readonly string[] = ['es-ES', 'pt-PT', 'ru-RU', 'vi-VN']

/** Languages of recordings to dub (contract 3, 2.2). */
export const dubbingLanguages = [
  'zh-CN',
  'zh-HK',
  'en-US',
  'ja-JP',
  'ko-KR',
  'fr-FR',
  'de-DE',
  'es-MX',
  'pt-BR',
  'th-TH',
  'id-ID',
  'ms-MY',
  'fil-PH',
  'ar-SA',
] as const
export type DubbingLanguage = (typeof dubbingLanguages)[number]

/** All languages of requests; where a language has two codes, that of recordings first. */
export const knownLanguages: readonly string[] = [
  ...new Set([...dubbingLanguages, ...subtitleLanguages, ...voiceLanguages]),
]

interface RequireRecognitionLanguageOptions {
  /** Name of the field, for the error. */
  readonly field: string
  /** Code for values that are no known language, as the table of the operation lists it (contract 3, section 7). */
  readonly unknown: 6016 | 6017
}

/**
 * Returns a spoken language whose words are recognised. Throws 6015 for es-ES, pt-PT, ru-RU and vi-VN, and `unknown` for
 * all other values.
 */
export function requireRecognitionLanguage(
  language: string,
  { field, unknown }: RequireRecognitionLanguageOptions,
): RecognitionLanguage {
  const supported = recognitionLanguages.find((code) => code === language)
  if (supported) return supported
  const isKnown = languagesWithoutWords.includes(language)
  const what = isKnown
    ? `recognition of words does not support ${language}`
    : `${JSON.stringify(language.slice(0, 40))} is not a supported language`
  throw new ListedError(isKnown ? 6015 : unknown, `${field}: ${what}`, {
    hint: `Use ${listLanguages(recognitionLanguages)}.`,
  })
}

/** The two scripts of written Chinese; as a spoken language both are zh-CN. */
export const chineseScripts = ['zh-CHS', 'zh-CHT'] as const

/** Languages of requests for speech and of references: those of voices, and Chinese by its script. */
export const voiceRequestLanguages = [...voiceLanguages, ...chineseScripts] as const
export type VoiceRequestLanguage = (typeof voiceRequestLanguages)[number]

/** A language that speech engines know: Chinese without its script. */
export type SpokenLanguage = DubbingLanguage

/** The spoken language of a request, without its script. */
export function spokenLanguage(language: VoiceRequestLanguage): VoiceLanguage
export function spokenLanguage(language: RecognitionLanguage | DubbingLanguage): SpokenLanguage
export function spokenLanguage(language: RecognitionLanguage | DubbingLanguage): SpokenLanguage {
  return language === 'zh-CHS' || language === 'zh-CHT' ? 'zh-CN' : language
}

/**
 * Codes of the API by language code of speech recognisers (ISO 639-1, else 639-3). Where the API has two codes for one
 * language, the one for subtitles: es-ES rather than es-MX, pt-PT rather than pt-BR (docs/contract.md).
 */
const contractCodes: Readonly<Record<string, string>> = {
  zh: 'zh-CN',
  yue: 'zh-HK',
  en: 'en-US',
  ja: 'ja-JP',
  ko: 'ko-KR',
  es: 'es-ES',
  ru: 'ru-RU',
  fr: 'fr-FR',
  pt: 'pt-PT',
  vi: 'vi-VN',
  de: 'de-DE',
  th: 'th-TH',
  id: 'id-ID',
  ms: 'ms-MY',
  tl: 'fil-PH',
  fil: 'fil-PH',
  ar: 'ar-SA',
}

/** Converts a language code of an engine to that of the API; null where the API has none. */
export function contractLanguage(raw: string): string | null {
  return contractCodes[raw.toLowerCase()] ?? null
}
