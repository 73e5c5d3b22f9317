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

/** The two scripts of written Chinese; as a spoken language both are zh-CN. */
export const chineseScripts = ['zh-CHS', 'zh-CHT'] as const

/** The spoken language of a request, without its script. */
export function spokenLanguage(language: VoiceLanguage | (typeof chineseScripts)[number]): VoiceLanguage {
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
