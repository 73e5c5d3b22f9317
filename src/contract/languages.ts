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

/** Languages in which a voice is copied and speaks (contract 3, 2.2). */
export const voiceLanguages = ['zh-CN', 'zh-HK', 'en-US', 'ja-JP', 'ko-KR'] as const
export type VoiceLanguage = (typeof voiceLanguages)[number]

/** Two scripts of one spoken language: as a spoken one each is zh-CN. */
export const chineseScripts = ['zh-CHS', 'zh-CHT'] as const

/** A spoken language of a request, its script aside. */
export function spokenLanguage(language: VoiceLanguage | (typeof chineseScripts)[number]): VoiceLanguage {
  return language === 'zh-CHS' || language === 'zh-CHT' ? 'zh-CN' : language
}

/**
 * The codes of the interface by the languages that recognisers name (ISO 639-1, or 639-3 where there is none). Where it
 * has two for one language, the one of subtitles: es-ES of es-MX, pt-PT of pt-BR (docs/contract.md).
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

/** The interface's code of a language as engines name it; null of one that it does not have. */
export function contractLanguage(raw: string): string | null {
  return contractCodes[raw.toLowerCase()] ?? null
}
