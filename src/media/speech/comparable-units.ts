import { comparableTokens, type ComparableToken } from './comparable-tokens.ts'
import { numberWord } from './number-words.ts'
import { isPoint, type NumberReading, readNumber } from './numbers.ts'

/** A unit in which texts are compared. */
export interface ComparableUnit {
  /** Normalised text. */
  readonly text: string
  /** Range in the original text, UTF-16 units. All units of a number have the range of the whole number. */
  readonly from: number
  readonly to: number
}

/** Words after numbers by the unit they become. */
const [percentWords, currencyWords] = [
  phrases({ '%': '%|percent|per cent|pour cent|パーセント|퍼센트|프로' }),
  phrases({
    '£': '£|pound|pounds|quid|livre|livres|英镑|英鎊|镑|ポンド|파운드',
    $: '$|dollar|dollars|美元|美金|ドル|달러',
    '€': '€|euro|euros|欧元|歐元|ユーロ|유로',
    '¥': '¥|yuan|yen|元|块钱|块|塊|円|圆|圓|日元|엔',
    '₩': '₩|won|韩元|韓元|ウォン|원',
  }),
]
const centWords = phrases({ '': 'cents|cent|pence|penny|centimes' })

/** English words and the abbreviations that scripts have for them. */
const abbreviations: ReadonlyMap<string, string> = new Map(
  Object.entries({
    mister: 'mr',
    missus: 'mrs',
    doctor: 'dr',
    professor: 'prof',
    versus: 'vs',
    etcetera: 'etc',
  }),
)

/** Endings of ordinal numbers in digits: 3rd, 1er. */
const ordinalEnding = /^(?:st|nd|rd|th|er|ère|ere|e|ème|eme)$/u

/** Most letters that are one word: longer ones are not spelled. */
const maxSpelledLetters = 8

/** A phrase as its tokens, and the unit that it becomes. */
type Phrase = readonly [tokens: readonly string[], unit: string]

function phrases(forms: Readonly<Record<string, string>>): Phrase[] {
  return Object.entries(forms).flatMap(([unit, texts]) =>
    texts.split('|').map((text) => [comparableTokens(text).map((token) => token.text), unit] as const),
  )
}

/**
 * Splits a text into units to compare: Chinese and Japanese characters, words of other scripts, without case, width and
 * punctuation. Numbers become their digits, one unit each, so that all ways to write and to speak them are equal: 2014,
 * "twenty fourteen" and 二〇一四; amounts of money have their currency after the whole number (£13.60, "thirteen pounds
 * sixty"), percentages `%` at the end (百分之五十). Letters that are spelled are one word: U.S., "G P T".
 * Common abbreviations are their words: Mr., "mister". Reads numbers in
 * English, French, Chinese, Japanese and Korean.
 */
export function comparableUnits(text: string): ComparableUnit[] {
  return new UnitReader(
    comparableTokens(text),
    /[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(text),
  ).read()
}

class UnitReader {
  readonly #tokens: readonly ComparableToken[]
  readonly #isPlain: boolean
  readonly #units: ComparableUnit[] = []
  /** Whether the unit before is of a number. */
  #followsNumber = false

  constructor(tokens: readonly ComparableToken[], isPlain: boolean) {
    this.#tokens = tokens
    this.#isPlain = isPlain
  }

  read(): ComparableUnit[] {
    for (let at = 0; at < this.#tokens.length;) {
      const next = this.#date(at) ?? this.#percentage(at) ?? this.#money(at) ?? this.#number(at)
      this.#followsNumber = next !== undefined || this.#isInNumber(at)
      at = next ?? this.#word(at)
    }
    return this.#units
  }

  #textAt(at: number): string {
    return this.#tokens[at]?.text ?? ''
  }

  #readNumber(at: number): NumberReading | undefined {
    const reading = readNumber(this.#tokens, at, { isPlain: this.#isPlain })
    if (!reading) return undefined
    const ending = this.#tokens[reading.next]
    const isOrdinal =
      this.#tokens[reading.next - 1]?.kind === 'digits' &&
      ending?.gap === '' &&
      ordinalEnding.test(ending.text)
    return isOrdinal ? { ...reading, next: reading.next + 1 } : reading
  }

  /** Adds the characters of a text as units with the range of some tokens. Returns the index after them. */
  #add(characters: Iterable<string>, at: number, next: number): number {
    const last = this.#units.at(-1)
    let [from, to] = [this.#tokens[at]?.from ?? 0, this.#tokens[next - 1]?.to ?? 0]
    // One sign may be several tokens: ½ is 1 and 2.
    if (last && to <= last.to) [from, to] = [last.from, last.to]
    else if (last) from = Math.max(from, last.to)
    for (const text of characters) this.#units.push({ text, from, to })
    return next
  }

  /** A date of a year, month and day in digits. */
  #date(at: number): number | undefined {
    const [year, month, day] = this.#tokens.slice(at, at + 3)
    if (!year || !month || !day || !/^[-/]$/.test(month.gap) || month.gap !== day.gap) return undefined
    if (!/^\d{4}$/.test(year.text) || !/^(?:0?[1-9]|1[012])$/.test(month.text)) return undefined
    if (!/^(?:0?[1-9]|[12]\d|3[01])$/.test(day.text)) return undefined
    const units = `${year.text}年${Number(month.text)}月${Number(day.text)}日`
    return this.#add(units, at, at + 3)
  }

  /** A percentage with the word before the number. */
  #percentage(at: number): number | undefined {
    if (!/^百分[之の]$/u.test([0, 1, 2].map((index) => this.#textAt(at + index)).join(''))) return undefined
    const number = this.#readNumber(at + 3)
    return number && this.#add(`${number.digits}%`, at, number.next)
  }

  /** An amount with the sign of its currency before the number. */
  #money(at: number): number | undefined {
    const [, unit] = currencyWords.find(([[sign]]) => sign === this.#textAt(at)) ?? []
    if (this.#tokens[at]?.kind !== 'sign' || unit === undefined) return undefined
    const number = this.#readNumber(at + 1)
    return number && this.#add(amountUnits(number.digits, unit), at, number.next)
  }

  #number(at: number): number | undefined {
    const number = this.#readNumber(at)
    if (!number) return undefined
    const percent = this.#phraseAt(percentWords, number.next)
    if (percent) return this.#add(`${number.digits}%`, at, percent.next)
    const currency = this.#phraseAt(currencyWords, number.next)
    if (!currency) return this.#add(number.digits, at, number.next)
    const cents = number.digits.includes('.') ? undefined : this.#cents(currency.next)
    return this.#add(
      amountUnits(cents ? `${number.digits}.${cents.digits}` : number.digits, currency.unit),
      at,
      cents?.next ?? currency.next,
    )
  }

  /** Hundredths after a currency: "thirteen pounds sixty", "five dollars and six cents", 三块五. */
  #cents(start: number): NumberReading | undefined {
    const at = this.#textAt(start) === 'and' || this.#textAt(start) === 'et' ? start + 1 : start
    const number = this.#readCents(at)
    if (!number) return undefined
    const ending = this.#phraseAt(centWords, number.next)
    if (ending) return { digits: number.digits.padStart(2, '0'), next: ending.next }
    const isTenths = /^[块塊元]$/u.test(this.#textAt(start - 1)) && this.#textAt(number.next) !== '分'
    if (at > start || (number.digits.length < 2 && !isTenths)) return undefined
    const next = number.next + (isTenths && /^[毛角]$/u.test(this.#textAt(number.next)) ? 1 : 0)
    return { digits: number.digits.padEnd(2, '0'), next }
  }

  #readCents(at: number): NumberReading | undefined {
    // The word "cents" is a multiplier in French.
    const hundredths = [at + 1, at + 2].find((next) => this.#phraseAt(centWords, next))
    const tokens = hundredths === undefined ? this.#tokens : this.#tokens.slice(0, hundredths)
    const number = readNumber(tokens, at, { isPlain: this.#isPlain })
    return number && /^\d{1,2}$/.test(number.digits) ? number : undefined
  }

  #phraseAt(
    list: readonly Phrase[],
    at: number,
  ): { readonly unit: string; readonly next: number } | undefined {
    const found = list.find(([tokens]) => tokens.every((text, index) => text === this.#textAt(at + index)))
    return found && { unit: found[1], next: at + found[0].length }
  }

  /** Whether a word is a decimal point, or a zero said as "oh", inside of a number. */
  #isInNumber(at: number): boolean {
    const next = this.#tokens[at + 1]
    const isFollowed = next?.kind === 'digits' || numberWord(next?.text)?.kind === 'ones'
    return this.#followsNumber && isFollowed && (isPoint(this.#tokens[at]) || this.#textAt(at) === 'oh')
  }

  #word(at: number): number {
    const { text, kind } = this.#tokens[at] ?? { text: '' }
    if (this.#isInNumber(at)) return this.#add([text === 'oh' ? '0' : '.'], at, at + 1)
    const next = this.#endOfSpelled(at)
    if (next > at + 1)
      return this.#add(
        [
          this.#tokens
            .slice(at, next)
            .map((token) => token.text)
            .join(''),
        ],
        at,
        next,
      )
    // Signs of currencies and percent that belong to no number are punctuation.
    if (kind === 'sign') return at + 1
    return this.#add([abbreviations.get(text) ?? text], at, at + 1)
  }

  /**
   * Index after letters that are spelled. A single letter said twice is a restart ("I I think"), and words of one letter
   * begin nothing that is spelled, unless three follow one another or dots stand between them.
   */
  #endOfSpelled(start: number): number {
    let next = start
    const isJoined = (at: number) =>
      /^\p{Script=Latin}$/u.test(this.#textAt(at)) && (at === start || this.#joins(at))
    while (next - start < maxSpelledLetters && isJoined(next)) next += 1
    const letters = this.#tokens.slice(start, next).map(({ text }) => text)
    const isDotted = next - start > 1 && this.#tokens[start + 1]?.gap.startsWith('.') === true
    const isSpelled = isDotted || letters.length > 2 || !letters.some((letter) => /^[aiày]$/u.test(letter))
    return isSpelled && new Set(letters).size > 1 ? next : start + 1
  }

  #joins(at: number): boolean {
    return /^(?:\.? ?|-)$/.test(this.#tokens[at]?.gap ?? '')
  }
}

/** Units of an amount: the whole number, the currency, and the hundredths if there are any. */
function amountUnits(digits: string, currency: string): string {
  const [whole = '', decimals = ''] = digits.split('.')
  return whole + currency + (/[1-9]/.test(decimals) ? decimals.padEnd(2, '0') : '')
}
