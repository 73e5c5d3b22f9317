import type { SubtitleLanguage } from '../../contract/languages.ts'

/** Source and target language. */
export interface LanguagePair {
  readonly from: SubtitleLanguage
  readonly to: SubtitleLanguage
}

/** The languages, and what is known about the file. */
export interface TranslationRules extends LanguagePair {
  /** Words that occur in lower case in the file, which are therefore no names. */
  readonly lowerCaseWords?: ReadonlySet<string> | undefined
}

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

/** Frequent characters that only simplified, or only traditional Chinese has. */
const simplifiedOnly =
  /[们这来说个时会过为国对学发经还现没点关问应长开动话样见让给吗两听谁妈边车东马门头儿觉认识请谢错难帮钱买卖写读书爱亲岁间电视机场员业务实际从远进运连选乐欢兴华语课题试验报纸张风飞鱼鸟龙阳阴阶队险阵译]/gu
const traditionalOnly =
  /[們這來說個時會過為國對學發經還現沒點關問應長開動話樣見讓給嗎兩聽誰媽邊車東馬門頭兒覺認識請謝錯難幫錢買賣寫讀書愛親歲間電視機場員業務實際從遠進運連選樂歡興華語課題試驗報紙張風飛魚鳥龍陽陰階隊險陣譯]/gu
/** Characters of Chinese sentences that Japanese does not use. */
const chineseOnly = /[们这说吗呢吧你她很怎么什个给让谁哪您吃喝啊哦嘛啦咱們這說嗎沒麼個誰給讓]/gu
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

/**
 * Whether a text is in the wrong variant of shared letters: simplified instead of traditional Chinese or the reverse,
 * Japanese instead of Chinese or the reverse, or mostly in other letters than the Latin ones of its language.
 */
export function usesOtherScript(language: SubtitleLanguage, text: string): boolean {
  // A translation may quote Japanese; then it has characters of Chinese as well.
  const isJapanese = count(text, /\p{Script=Hiragana}/gu) > 1 && count(text, chineseOnly) === 0
  const [simplified, traditional] = [count(text, simplifiedOnly), count(text, traditionalOnly)]
  switch (language) {
    case 'zh-CHT':
      return simplified > traditional || isJapanese
    case 'zh-CN':
    case 'zh-CHS':
      return traditional > simplified || (isJapanese && simplified === 0)
    case 'ja-JP':
      return !kana.test(text) && count(text, chineseOnly) > 0
    case 'ko-KR':
    case 'ru-RU':
      return false
    default:
      return count(text, /\p{Script=Latin}/gu) < count(text, /(?!\p{Script=Latin})\p{L}/gu)
  }
}

/** Whether less than a tenth of the lines contain letters of a language. */
export function isLikelyOtherLanguage(language: SubtitleLanguage, lines: readonly string[]): boolean {
  const worded = lines.filter((line) => /\p{L}/u.test(line))
  return worded.filter((line) => isWrittenIn(language, line)).length < worded.length / 10
}
