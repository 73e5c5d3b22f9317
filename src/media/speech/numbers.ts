import type { ComparableToken } from './comparable-tokens.ts'
import { type NumberWord, numberWord } from './number-words.ts'

/** A number in a list of tokens. */
export interface NumberReading {
  /** Digits, with `.` before decimals. */
  readonly digits: string
  /** Index of the token after it. */
  readonly next: number
}

/** Words for a decimal point. */
const pointWords = new Set(['point', 'dot', 'virgule', '点', '點', '점'])

/** Words between the parts of a number: "two thousand and five", "vingt et un", 一千零五. */
const links = new Set(['and', 'et', '零', '〇'])

/** Characters after which 百 and 千 alone are numbers: 百円, 千二百. */
const afterHundreds = /^[一二三四五六七八九十百円年人]$/u

interface NumberOptions {
  /** Whether a last digit has its own value, as in Japanese and Korean (百五 is 105), not that of the next place (150). */
  readonly isPlain: boolean
}

/** Whether a token is a decimal point that is spoken. */
export function isPoint(token: ComparableToken | undefined): boolean {
  return pointWords.has(token?.text ?? '')
}

/** Reads the number that starts at a token, written or spoken; undefined if none does. */
export function readNumber(
  tokens: readonly ComparableToken[],
  start: number,
  options: NumberOptions,
): NumberReading | undefined {
  const whole = new NumberReader(tokens, options).read(start)
  if (!whole || whole.digits.includes('.') || !isPoint(tokens[whole.next])) return whole
  const decimals = readSpokenDigits(tokens, whole.next + 1)
  return decimals ? { digits: `${whole.digits}.${decimals.digits}`, next: decimals.next } : whole
}

/** Reads single digits: "one four". */
function readSpokenDigits(tokens: readonly ComparableToken[], start: number): NumberReading | undefined {
  let digits = ''
  let next = start
  for (; ; next += 1) {
    const word = numberWord(tokens[next]?.text)
    const isOh = digits !== '' && tokens[next]?.text === 'oh'
    if (!isOh && (word?.kind !== 'ones' || word.value > 9)) break
    digits += isOh ? '0' : String(word?.value)
  }
  return digits === '' ? undefined : { digits, next }
}

interface Group {
  readonly value: number
  readonly next: number
  /** Written digits, with their zeros. */
  readonly digits?: string
}

class NumberReader {
  readonly #tokens: readonly ComparableToken[]
  readonly #options: NumberOptions

  constructor(tokens: readonly ComparableToken[], options: NumberOptions) {
    this.#tokens = tokens
    this.#options = options
  }

  /** Adds groups with multipliers and scales as long as they descend, so that numbers said twice are two numbers. */
  read(start: number): NumberReading | undefined {
    let [total, section, at] = [0, 0, start]
    let [multiplierLimit, scaleLimit, latest] = [Infinity, Infinity, Infinity]
    let found: NumberReading | undefined
    for (;;) {
      const from: number = found && links.has(this.#tokens[at]?.text ?? '') ? at + 1 : at
      const group: Group | undefined = this.#group(from)
      if (group && !found) found = { digits: group.digits ?? String(group.value), next: group.next }
      at = group?.next ?? at
      const word = numberWord(this.#tokens[at]?.text)
      const value = group?.value ?? (word && this.#isAlone(at, word.isAlone) ? 1 : undefined)
      if (word?.kind === 'multiplier' && value !== undefined) {
        if (word.value >= multiplierLimit || (group && !fitsMultiplier(value, word))) break
        section += value * word.value
        latest = multiplierLimit = word.value
      } else if (word?.kind === 'scale' && (value !== undefined || section > 0)) {
        if (word.value >= scaleLimit) break
        total += (section + (group?.value ?? (section > 0 ? 0 : 1))) * word.value
        ;[section, multiplierLimit, latest, scaleLimit] = [0, Infinity, word.value, word.value]
      } else {
        if (!group || latest === Infinity || group.value >= latest) break
        total += section + group.value * this.#place(from, at, latest)
        return { digits: formatNumber(total), next: group.next }
      }
      if (total + section > Number.MAX_SAFE_INTEGER) break
      at += 1
      found = { digits: formatNumber(total + section), next: at }
    }
    return found
  }

  /** Value of the last digit: in Chinese 一百五 is 150, as no zero is said. */
  #place(from: number, next: number, latest: number): number {
    const word = numberWord(this.#tokens[from]?.text)
    const isShort =
      word?.isCharacter === true &&
      next === from + 1 &&
      latest >= 100 &&
      !links.has(this.#tokens[from - 1]?.text ?? '')
    return isShort && !this.#options.isPlain ? latest / 10 : 1
  }

  #isAlone(at: number, isAlone: true | undefined): boolean {
    const { text } = this.#tokens[at] ?? { text: '' }
    return isAlone === true || (/[百千]/u.test(text) && afterHundreds.test(this.#tokens[at + 1]?.text ?? ''))
  }

  /** A number without multipliers: in digits, below 100, or with decimals before a scale. */
  #group(start: number): Group | undefined {
    const token = this.#tokens[start]
    const next = this.#tokens[start + 1]
    if (token?.kind === 'digits') {
      const digits = plainDigits(token.text)
      return { value: Number(digits), next: start + 1, digits }
    }
    const nextWord = numberWord(next?.text)
    const isOne =
      token?.text === 'a' &&
      nextWord?.isAlone !== true &&
      /^(?:hundred|thousand|[mb]illion)$/.test(next?.text ?? '')
    const group = isOne ? { value: 1, next: start + 1 } : this.#belowHundred(start)
    if (!group || !isPoint(this.#tokens[group.next])) return group
    const decimals = readSpokenDigits(this.#tokens, group.next + 1)
    const isScaled = decimals && numberWord(this.#tokens[decimals.next]?.text)?.kind === 'scale'
    return isScaled ? { value: Number(`${group.value}.${decimals.digits}`), next: decimals.next } : group
  }

  #belowHundred(start: number): Group | undefined {
    const word = numberWord(this.#tokens[start]?.text)
    const following = this.#tokens[start + 1]?.text ?? ''
    if (word?.kind === 'ones') {
      if (word.value === 4 && /^vingts?$/.test(following)) return this.#afterTens(start + 2, 80, true)
      const more = numberWord(following)
      const isTeen = this.#tokens[start]?.text === 'dix' && /^(?:sept|huit|neuf)$/.test(following)
      return isTeen && more
        ? { value: 10 + more.value, next: start + 2 }
        : { value: word.value, next: start + 1 }
    }
    return word?.kind === 'tens'
      ? this.#afterTens(start + 1, word.value, word.takesTeens === true)
      : undefined
  }

  /** Adds 1 to 9 to tens, and 10 to 19 where French does. */
  #afterTens(at: number, tens: number, takesTeens: boolean): Group {
    const from = this.#tokens[at]?.text === 'et' ? at + 1 : at
    const word = numberWord(this.#tokens[from]?.text)
    const ones = word?.kind === 'ones' && !word.isCharacter ? this.#belowHundred(from) : undefined
    if (!ones || ones.value === 0 || ones.value > (takesTeens ? 19 : 9)) return { value: tens, next: at }
    return { value: tens + ones.value, next: ones.next }
  }
}

/** Whether a value may precede a multiplier: 1 to 9, of hundreds up to 99; nobody says "un cent". */
function fitsMultiplier(value: number, { value: multiplier, isAlone, isCharacter }: NumberWord): boolean {
  const least = isAlone && !isCharacter ? 2 : 1
  return Number.isInteger(value) && value >= least && value <= (multiplier === 100 ? 99 : 9)
}

/** Digits without separators of thousands, with `.` before decimals. */
function plainDigits(text: string): string {
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text)) return text.replaceAll(',', '')
  return text.replaceAll(',', '.').replace(/^\./, '0.')
}

function formatNumber(value: number): string {
  return String(Math.round(value * 1e6) / 1e6)
}
