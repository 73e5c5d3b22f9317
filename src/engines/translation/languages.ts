import type { SubtitleLanguage } from '../../contract/languages.ts'

/** Source and target language, as codes such as en-US: those of subtitles, of recordings, and of voices. */
export interface LanguagePair {
  readonly from: string
  readonly to: string
}

/** The languages, and what is known about the file. */
export interface TranslationRules extends LanguagePair {
  /** Words that occur in lower case in the file, which are therefore no names. */
  readonly lowerCaseWords?: ReadonlySet<string> | undefined
}

/** Names of languages in prompts, with the script of Chinese and the region where it changes words. */
const languageNames: Readonly<Record<SubtitleLanguage | 'zh-HK', string>> = {
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
  'zh-HK': 'spoken Cantonese of Hong Kong, in the words of speech, in traditional characters',
}

const englishNames = new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' })

/** Returns the name of a language for prompts: `German (Germany)`. */
export function languageName(language: string): string {
  const known = Object.entries(languageNames).find(([code]) => code === language)
  return known?.[1] ?? englishNames.of(language) ?? language
}

/** Code of a language without region and script; Cantonese is a language of its own. */
export function baseLanguage(language: string): string {
  return language === 'zh-HK' ? 'yue' : (language.split('-')[0] ?? '')
}

/** Whether two codes are the same language in any script and region. */
export function isSameLanguage(one: string, other: string): boolean {
  return baseLanguage(one) === baseLanguage(other)
}

/** Unicode scripts of the ISO 15924 codes of several scripts or of a variant. */
const unicodeScripts: Readonly<Record<string, string>> = {
  ...{ Hans: String.raw`\p{sc=Han}`, Hant: String.raw`\p{sc=Han}`, Kore: String.raw`\p{sc=Hangul}` },
  Jpan: String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}`,
}

const scriptPatterns = new Map<string, RegExp>()

/** Letters that any longer text of the language contains; Latin ones where its script is not known. */
function lettersOf(language: string): RegExp {
  const known = scriptPatterns.get(language)
  if (known) return known
  const pattern = scriptPattern(new Intl.Locale(baseLanguage(language)).maximize().script ?? 'Latn')
  scriptPatterns.set(language, pattern)
  return pattern
}

function scriptPattern(script: string): RegExp {
  try {
    return new RegExp(`[${unicodeScripts[script] ?? String.raw`\p{sc=${script}}`}]`, 'u')
  } catch {
    // A script that Unicode does not list.
    return /\p{L}/u
  }
}

/** Whether a text contains letters of a language. */
export function isWrittenIn(language: string, text: string): boolean {
  return lettersOf(language).test(text)
}

/** Frequent characters that only simplified, or only traditional Chinese has. */
const simplifiedOnly =
  /[们这来说个时会过为国对学发经还现没点关问应长开动话样见让给吗两听谁妈边车东马门头儿觉认识请谢错难帮钱买卖写读书爱亲岁间电视机场员业务实际从远进运连选乐欢兴华语课题试验报纸张风飞鱼鸟龙阳阴阶队险阵译]/gu
const traditionalOnly =
  /[們這來說個時會過為國對學發經還現沒點關問應長開動話樣見讓給嗎兩聽誰媽邊車東馬門頭兒覺認識請謝錯難幫錢買賣寫讀書愛親歲間電視機場員業務實際從遠進運連選樂歡興華語課題試驗報紙張風飛魚鳥龍陽陰階隊險陣譯]/gu
/** Characters of Chinese sentences that Japanese does not use. */
const chineseOnly = /[们这说吗呢吧你她很怎么什个给让谁哪您吃喝啊哦嘛啦咱們這說嗎沒麼個誰給讓]/gu
/** Frequent characters of Mandarin that Cantonese replaces, and those of Cantonese that Mandarin does not use. */
const mandarinOnly = /[的是他她们們这這那没沒么麼怎吗嗎]/gu
const cantoneseOnly = /[嘅係佢哋嗰冇乜唔喺咗啲嚟嘢咁啱諗]/gu
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

/**
 * Whether a text is in the wrong variant of shared letters: simplified instead of traditional Chinese or the reverse,
 * Japanese instead of Chinese or the reverse, Mandarin instead of Cantonese or the reverse, or mostly in other letters
 * than those of its language.
 */
export function usesOtherScript(language: string, text: string): boolean {
  // A translation may quote Japanese; then it has characters of Chinese as well.
  const isJapanese = count(text, /\p{Script=Hiragana}/gu) > 1 && count(text, chineseOnly) === 0
  const [simplified, traditional] = [count(text, simplifiedOnly), count(text, traditionalOnly)]
  const [mandarin, cantonese] = [count(text, mandarinOnly), count(text, cantoneseOnly)]
  switch (language) {
    case 'zh-HK':
      return simplified > traditional || isJapanese || (mandarin > 1 && cantonese === 0)
    case 'zh-CHT':
      return simplified > traditional || isJapanese || (cantonese > 1 && mandarin === 0)
    case 'zh-CN':
    case 'zh-CHS':
      return traditional > simplified || (isJapanese && simplified === 0) || (cantonese > 1 && mandarin === 0)
    case 'ja-JP':
      return !kana.test(text) && count(text, chineseOnly) > 0
    case 'ko-KR':
    case 'ru-RU':
      return false
    default:
      return isMostlyOtherLetters(language, text)
  }
}

/** Whether less than half of the letters of a text are of the script of a language. */
function isMostlyOtherLetters(language: string, text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? []
  const own = letters.filter((letter) => isWrittenIn(language, letter)).length
  return isWrittenIn(language, 'a') ? own < letters.length - own : hasOtherLetters(letters, own)
}

/** Whether letters are in a third script: foreign names and terms in Latin letters are no reason. */
function hasOtherLetters(letters: readonly string[], own: number): boolean {
  const latin = letters.filter((letter) => /\p{sc=Latin}/u.test(letter)).length
  return own < letters.length - own - latin
}

/** Whether less than a tenth of the lines contain letters of a language. */
export function isLikelyOtherLanguage(language: string, lines: readonly string[]): boolean {
  const worded = lines.filter((line) => /\p{L}/u.test(line))
  return worded.filter((line) => isWrittenIn(language, line)).length < worded.length / 10
}
