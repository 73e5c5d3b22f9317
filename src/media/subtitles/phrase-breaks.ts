/*
 * Where Chinese and Japanese, which are written without spaces, may break. Words come from the dictionary of ICU. Of their
 * ends, those are preferred at which a phrase ends: after a Japanese particle or verb form and before the next content
 * word (bunsetsu), and in Chinese before a preposition or adverb rather than after it. Rules are our own.
 */

/** Rank of the end of a word: of a phrase, inside a phrase, or before an ending or particle in the same script. */
export type WordEnd = 'phrase' | 'inside' | 'ending'

const segmenters = {
  zh: new Intl.Segmenter('zh', { granularity: 'word' }),
  ja: new Intl.Segmenter('ja', { granularity: 'word' }),
}

/** Characters per call of the segmenter, whose time grows faster than linearly with the length. */
const maxSegmentedLength = 2000

/** Returns the offsets at which words start, each with the rank of the word end before it. */
export function findWordEnds(text: string): ReadonlyMap<number, WordEnd> {
  const isJapanese = kana.test(text)
  const ends = new Map<number, WordEnd>()
  let before = ''
  for (let from = 0; from < text.length; from += maxSegmentedLength) {
    const part = text.slice(from, from + maxSegmentedLength)
    for (const { index, segment } of segmenters[isJapanese ? 'ja' : 'zh'].segment(part)) {
      if (!continuesWord(before, segment)) ends.set(from + index, rankEnd(before, segment, isJapanese))
      before = segment
    }
  }
  return ends
}

const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u
const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u
const katakanaEnd = /[\p{Script=Katakana}ー]$/u
const katakanaStart = /^[\p{Script=Katakana}ー]/u
const hanStart = /^\p{Script=Han}/u
const hiraganaEnd = /\p{Script=Hiragana}$/u
const hiraganaStart = /^\p{Script=Hiragana}/u
const hiraganaOnly = /^[\p{Script=Hiragana}ー]+$/u

/** Whether two segments are one word: parts of a katakana word, of a number, or a stem and its ending. */
function continuesWord(before: string, next: string): boolean {
  if (katakanaEnd.test(before) && katakanaStart.test(next)) return true
  if (/[\d０-９.,，．]$/.test(before) && /^[\d０-９]/.test(next)) return true
  if (before.endsWith('ま') && politeEnding.test(next)) return true
  // A number and its counter.
  if (/[\d０-９]$/.test(before) && (hanStart.test(next) || katakanaStart.test(next))) return true
  return verbEnding.test(next) && eastAsian.test(before.slice(-1))
}

function rankEnd(before: string, next: string, isJapanese: boolean): WordEnd {
  // Hiragana after another script is the ending of the word or its particle.
  if (isJapanese && eastAsian.test(before.slice(-1)) && hiraganaStart.test(next) && !independent.test(next))
    return 'ending'
  if (endsPhrase(before, next, isJapanese)) return 'phrase'
  // The dictionary separates hiragana wrongly where it does not know a form.
  return hiraganaEnd.test(before) && hiraganaStart.test(next) ? 'ending' : 'inside'
}

function endsPhrase(before: string, next: string, isJapanese: boolean): boolean {
  if (!eastAsian.test(before.slice(-1)) || !eastAsian.test(next.slice(0, 1)))
    return !/[\d０-９]$/.test(before)
  return isJapanese ? endsJapanesePhrase(before, next) : endsChinesePhrase(before, next)
}

/** Endings of Japanese verbs and adjectives that the dictionary separates from their stem. */
const verbEnding =
  /^(?:た|て|で|だっ|たら|たり|ない|なかっ|なく|なけれ|ます|まし|ませ|ません|ましょ|ましょう|れ|れる|られ|られる|せ|せる|させ|させる|たい|たく|たかっ|ん|う|よう|ちゃ|ちゃっ|じゃ|てる|とく|そう|っ|かっ|く|い|き|し|り|み|え|け|さ)$/

/** Endings of ます, from which the dictionary separates ま after a stem in hiragana. */
const politeEnding = /^(?:す|した|して|しょ|しょう|せ|せん)/

/** Japanese particles, auxiliaries and suffixes, which belong to the word before them. */
const dependent =
  /^(?:は|が|を|に|へ|と|も|の|か|ね|よ|な|わ|ぞ|ぜ|や|から|まで|より|など|だけ|ほど|くらい|ぐらい|ばかり|しか|こそ|さえ|でも|って|ので|のに|けど|けれど|けれども|ながら|つつ|だ|だろ|だろう|だった|です|でし|でした|でしょ|でしょう|である|いる|いた|いて|います|いました|ある|あった|しまう|しまっ|しまった|おく|くる|くれ|くれる|ください|くださる|もらう|みたい|らしい|らしく|はず|わけ|つもり|さん|ちゃん|くん|さま|たち|ら|ども|とは|には|では|へは|との|への|からの|までに|については|による|によって|として|ように|ような|ようだ)$/

/** Japanese prefixes, which belong to the word after them. */
const prefix = /(?:^|[^\p{Script=Hiragana}])[おご御]$/u

/** Japanese words in hiragana of up to three letters that begin a phrase. */
const independent =
  /^(?:この|その|あの|どの|ここ|そこ|どこ|これ|それ|あれ|どれ|こう|どう|ああ|こと|もの|とき|ところ|もう|まだ|また|とても|すぐ|いつ|いつも|きっと|ずっと|ちょっと|やっと|もっと|たぶん|なぜ|なに|だれ|みんな|みな|わたし|ぼく|おれ|きみ|あなた|する|した|して|しない|なる|なった|なって|いい|いま|いちばん|いいえ|うん|さあ|ねえ|でも|だから|しかし|そして|つまり|もし|まるで|ただ|まず)$/

function endsJapanesePhrase(before: string, next: string): boolean {
  if (dependent.test(next) || prefix.test(before)) return false
  if (/^[々ー]/.test(next)) return false
  if (hiraganaStart.test(next)) {
    const beginsPhrase = independent.test(next) || next.length > 3 || !hiraganaOnly.test(next)
    return beginsPhrase && hiraganaEnd.test(before)
  }
  // A content word after hiragana, which ends the phrase before it; compounds stay together.
  return hiraganaEnd.test(before)
}

/** Chinese particles, suffixes and measure words, which belong to the word before them. */
const chineseSuffix =
  /^(?:的|地|[得了着著过過]的?|吗|嗎|呢|吧|啊|呀|啦|嘛|哦|们|們|里|裡|裏|上|下|中|内|內|外|间|間|前|后|後|时|時|等|个|個|们的|們的|来|來|去|到|起来|起來|下去|出来|出來|点|點|些|位|次|年|月|日|号|號|天|岁|歲)$/

/** Chinese prepositions, adverbs, negations, pronouns before a noun and numerals, which belong to the word after them. */
const chinesePrefix =
  /^(?:在|把|被|从|從|对|對|向|给|給|和|与|與|跟|比|为|為|很|不|没|沒|别|別|最|太|也|都|就|才|又|再|还|還|更|已|已经|已經|正在|将|將|会|會|能|可|要|想|应该|應該|可以|必须|必須|这|這|那|哪|每|一|两|兩|几|幾|第|老|小|是|有|让|讓|请|請)$/

/** Chinese numbers, which belong to the word after them, and measure words, which belong to what is counted. */
const chineseCount =
  /^(?:[一二两兩三四五六七八九十百千万萬亿億几幾半数數]+[多余餘]?|[个個位次只隻条條张張件块塊名种種])$/

function endsChinesePhrase(before: string, next: string): boolean {
  return (
    !chineseSuffix.test(next) &&
    !chinesePrefix.test(before) &&
    !chineseCount.test(before) &&
    !isUnknownWord(before, next)
  )
}

/** Whether two segments of one letter each may be a word that the dictionary does not know. */
function isUnknownWord(before: string, next: string): boolean {
  return before.length === 1 && next.length === 1 && !chineseSuffix.test(before)
}
