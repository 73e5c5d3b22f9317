/*
 * Where languages that are written with spaces may break. A line that ends with an article or a preposition, or between a
 * number and its unit, is hard to read; one that begins with a preposition or a conjunction reads well (BBC subtitle
 * guidelines, "line breaks"). The words are those of English, French, Spanish, Portuguese, Russian, Vietnamese and Korean together,
 * as a text may mix languages. Many words have another meaning in another of them; those that break lines badly there are
 * left out, such as French "car" and Spanish "once".
 */

/** Rank of a space: before a phrase, between any words, inside a phrase, or between a number and its unit. */
export type SpaceRank = 'phrase' | 'word' | 'inside' | 'unit'

/** Articles, possessives, demonstratives and pronouns before verbs, which belong to the word after them. */
const determiners = words(
  'a an the my your his her its our their this these those every each',
  'le la les l un une des du au aux ce cet cette ces mon ma ta tes sa ses notre nos votre vos leur leurs',
  'el los las lo unos unas al del mi mis tu tus su sus este esta estos estas ese esa esos esas cada',
  'o os as um uma uns umas ao aos à às do dos da das no nos na nas seu sua seus suas meu minha',
  'các những một mỗi',
  'me te se ne',
  '그 이 저 한 두 세 네 내 제 모든 어떤 이런 그런 저런 안 못 더 가장',
)

/** Prepositions, which belong to the words after them and begin a phrase. */
const prepositions = words(
  'of in on at by for with from to into onto about over under through between among across around against',
  'during before after without within toward towards upon behind beside beyond until since',
  'de à dans sur sous avec chez vers par sans entre depuis pendant contre selon avant après derrière devant',
  'en con por para sobre hasta desde hacia según durante ante bajo tras',
  'em com sem sob até após pelo pela pelos pelas num numa',
  'в во на с со из к ко о об от до для по при без под над за через между у около после перед ради про',
  'của ở trong với cho từ đến trên dưới về bằng tại',
)

/** Conjunctions and relative words, which belong to the words after them and begin a phrase. */
const conjunctions = words(
  'and or but nor because if when while although though unless whether than which who whom whose where why how that as',
  'et ou mais donc que qui quand lorsque puisque parce si dont où comme',
  'y e u pero sino porque cuando aunque donde quien quienes cual cuales como',
  'mas quando embora onde quem qual quais porém',
  'и а но или что чтобы если когда потому где который которая которое которые как хотя',
  'và nhưng hoặc mà nếu khi vì rằng',
)

/** Numbers in words. */
const numerals = words(
  'two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty hundred thousand',
  'deux trois quatre cinq sept huit neuf dix onze douze vingt trente quarante cinquante cent mille',
  'dos tres cuatro cinco seis siete ocho nueve diez doce veinte treinta cuarenta cincuenta cien mil',
  'dois duas três quatro oito nove dez doze vinte trinta quarenta cinquenta cem',
  'два две три четыре пять шесть семь восемь девять десять двадцать тридцать сто тысяча',
  'hai ba bốn năm sáu bảy tám chín mười trăm nghìn',
)

/** Units, and what is usually counted, without endings. */
const unit =
  /^(?:[kcm]?m|[km]?g|[km]?l|[hs]|min|ms|[kmg]?hz|[kmgt]b|[kmg]?w|km\/h|mph|%|°[cf]?|[€$£¥₽]|euros?|dollars?|pounds?|pesos?|reais|рубл\S*|percent|million\S*|milliard\S*|billion\S*|mil(?:hões|lones)|миллион\S*|(?:kilo|centi|milli)?m(?:et(?:er|re)s?|ètres?|etros?)|quil[oô]metros?|kilómetros?|miles?|feet|foot|inch(?:es)?|(?:kilo)?gram\S*|tons?|litr\S*|liters?|seconds?|secondes?|segundos?|minut\S*|hours?|heures?|horas?|days?|jours?|d[ií]as?|weeks?|semaines?|semanas?|months?|mois|mes(?:es)?|years?|ans|années?|años?|anos?|decades?|centur\S*|times?|fois|veces|vezes|people|degrees?|degrés?|grados?|graus?|километр\S*|метр\S*|секунд\S*|минут\S*|час\S{0,2}|дн\S*|день|недел\S*|месяц\S*|год\S{0,2}|лет|раз\S?|процент\S*|năm|tháng|ngày|giờ|phút|giây|tuần|lần|người|triệu|tỷ)[\p{P}]*$/iu

/** Words before nouns or verbs that may also end a phrase. */
const pronouns = words('his her this these those each me te')

/**
 * Returns the rank of a space. before: the word before it, with its punctuation. after: the text after it, at least a
 * word, or two for units of two words.
 */
export function rankSpace(before: string, after: string): SpaceRank {
  const [next = ''] = after.split(/\s/, 1)
  const [last, first] = [bareWord(before), bareWord(next)]
  if (isInNumber(before, after)) return 'unit'
  if (
    /[\d０-９][.)]?$/.test(before) &&
    /^\p{Ll}/u.test(next) &&
    !beginsPhrase(first) &&
    !determiners.has(first)
  )
    return 'inside'
  if (pronouns.has(last) && beginsPhrase(first)) return 'phrase'
  if (determiners.has(last) || prepositions.has(last) || conjunctions.has(last)) return 'inside'
  return beginsPhrase(first) ? 'phrase' : 'word'
}

/** Returns whether a number and its unit, or its digits, continue after a space. */
function isInNumber(before: string, after: string): boolean {
  const [next = ''] = after.split(/\s/, 1)
  const isNumber = /[\d０-９][.)]?$/.test(before)
  if (isNumber && countedStart.test(next)) return true
  if (/(?:^|\D)\d{1,3}$/.test(before) && /^\d{3}(?!\d)/.test(next)) return true
  if (/^(?:per|pour|por)$/i.test(before) && /^(?:cent|cento|ciento)$/.test(bareWord(next))) return true
  return (isNumber || numerals.has(bareWord(before))) && (unit.test(next) || perCent.test(after))
}

/** "Percent" in two words. */
const perCent = /^(?:per|pour|por) (?:cent|cento|ciento)(?!\p{L})/iu

/** A counter of Chinese, Japanese or Korean, which transcripts separate from digits. */
const countedStart = /^[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}]/u

function beginsPhrase(word: string): boolean {
  return prepositions.has(word) || conjunctions.has(word)
}

/** Longest word that is looked up, characters. */
const maxLength = 40

/** A word in lower case without the punctuation around it. */
function bareWord(word: string): string {
  return word
    .slice(0, maxLength)
    .toLowerCase()
    .replaceAll(/^[\p{P}\p{S}]+|[\p{P}\p{S}]+$/gu, '')
}

function words(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.split(' ')))
}
