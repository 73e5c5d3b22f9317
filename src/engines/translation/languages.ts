import type { SubtitleLanguage } from '../../contract/languages.ts'

/** Languages as models are told of them, the script of Chinese with it. */
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

/** A language in the words that models are told it by. */
export function languageName(language: SubtitleLanguage): string {
  return languageNames[language]
}

/** Tells whether two are one language, whatever the script. */
export function isSameLanguage(one: SubtitleLanguage, other: SubtitleLanguage): boolean {
  return one.slice(0, 2) === other.slice(0, 2)
}

/** Letters without which no longer text of the language is written. */
const languageScripts: Readonly<Record<string, RegExp>> = {
  zh: /\p{Script=Han}/u,
  ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  ko: /\p{Script=Hangul}/u,
  ru: /\p{Script=Cyrillic}/u,
}

/** Tells whether a text may be of a language by its letters. */
export function isWrittenIn(language: SubtitleLanguage, text: string): boolean {
  return (languageScripts[language.slice(0, 2)] ?? /\p{Script=Latin}/u).test(text)
}

/** Tells whether hardly a line is of a language, by its letters. */
export function isLikelyOtherLanguage(language: SubtitleLanguage, lines: readonly string[]): boolean {
  const worded = lines.filter((line) => /\p{L}/u.test(line))
  return worded.filter((line) => isWrittenIn(language, line)).length < worded.length / 10
}
