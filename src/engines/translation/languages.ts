import type { SubtitleLanguage } from '../../contract/languages.ts'

/** Names of languages in prompts, with the script of Chinese. */
const languageNames: Readonly<Record<SubtitleLanguage, string>> = {
  'zh-CN': 'Chinese in simplified characters',
  'zh-CHS': 'Chinese in simplified characters',
  'zh-CHT': 'Chinese in traditional characters',
  'ja-JP': 'Japanese',
  'en-US': 'American English',
  'es-ES': 'Spanish of Spain',
  'ru-RU': 'Russian',
  'ko-KR': 'Korean',
  'fr-FR': 'French',
  'pt-PT': 'Portuguese of Portugal',
  'vi-VN': 'Vietnamese',
}

/** Returns the name of a language for prompts. */
export function languageName(language: SubtitleLanguage): string {
  return languageNames[language]
}

/** Whether two codes are the same language in any script. */
export function isSameLanguage(one: SubtitleLanguage, other: SubtitleLanguage): boolean {
  return one.slice(0, 2) === other.slice(0, 2)
}

/** Letters that any longer text of the language contains. */
const languageScripts: Readonly<Record<string, RegExp>> = {
  zh: /\p{Script=Han}/u,
  ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  ko: /\p{Script=Hangul}/u,
  ru: /\p{Script=Cyrillic}/u,
}

/** Whether a text contains letters of a language. */
export function isWrittenIn(language: SubtitleLanguage, text: string): boolean {
  return (languageScripts[language.slice(0, 2)] ?? /\p{Script=Latin}/u).test(text)
}

/** Whether less than a tenth of the lines contain letters of a language. */
export function isLikelyOtherLanguage(language: SubtitleLanguage, lines: readonly string[]): boolean {
  const worded = lines.filter((line) => /\p{L}/u.test(line))
  return worded.filter((line) => isWrittenIn(language, line)).length < worded.length / 10
}
