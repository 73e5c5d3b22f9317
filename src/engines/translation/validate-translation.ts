import type { SubtitleLanguage } from '../../contract/languages.ts'
import { estimateWidth } from '../../media/subtitles/text-width.ts'
import { isSameLanguage, isWrittenIn } from './languages.ts'

/** A line that is to be translated, by its number in the file. */
export interface SourceLine {
  readonly id: number
  readonly text: string
}

/** A line as a model answers it: `begins` are the first words of the line that it took itself to translate. */
export interface TranslatedLine extends SourceLine {
  readonly begins: string
}

/** From one language into another. */
export interface LanguagePair {
  readonly from: SubtitleLanguage
  readonly to: SubtitleLanguage
}

/**
 * Of an answer the lines that can be right, by their numbers. What was not asked for counts for nothing. Left out is a
 * line that has no words, has several translations, begins as another one, is far longer than what it is made of, or
 * says the same as the one beside it; and where a line is missing those beside it, which may have taken it in.
 */
export function validateTranslation(
  asked: readonly SourceLine[],
  answered: readonly TranslatedLine[],
  direction: LanguagePair,
): Map<number, string> {
  const isAlone = asked.length === 1
  const given = asked.map((line) => singleAnswer(answered.filter(({ id }) => id === line.id)))
  const isTaken = isAlone ? () => true : belongsToItsLine(asked, given)
  const isGood = asked.map((line, at) => {
    const answer = given[at]
    return (
      answer !== undefined &&
      isPlausible(line.text, answer.text, isAlone ? undefined : direction) &&
      isTaken(line, answer)
    )
  })
  const isMissing = (at: number) => at in given && given[at] === undefined
  const right = new Map<number, string>()
  for (const [at, { id }] of asked.entries()) {
    const text = given[at]?.text.trim()
    if (isGood[at] !== true || text === undefined || isMissing(at - 1) || isMissing(at + 1)) continue
    const repeats = [at - 1, at + 1].some((beside) =>
      isRepeated([asked[at], given[at]], [asked[beside], given[beside]]),
    )
    if (!repeats) right.set(id, text)
  }
  return right
}

/** Letters and digits alone: what models change in copying does not count. */
function lettersAndDigits(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

function singleAnswer(answers: readonly TranslatedLine[]): TranslatedLine | undefined {
  const [first] = answers
  const isOne = answers.every(({ text }) => text === first?.text)
  return first !== undefined && isOne && first.text.trim() !== '' ? first : undefined
}

/**
 * Tells whether an answer is one to its own line: it begins as no other one, and, where the model mostly tells how
 * lines begin, as its own. What is the same in both languages tells nothing of that habit.
 */
function belongsToItsLine(asked: readonly SourceLine[], given: readonly (TranslatedLine | undefined)[]) {
  const begins = asked.map(({ text }) => lettersAndDigits(text))
  const told = asked.flatMap((line, at) => {
    const answer = given[at]
    const isOwn = echoesItsLine(line, answer)
    return isOwn && lettersAndDigits(answer?.text ?? '').startsWith(lettersAndDigits(answer?.begins ?? ''))
      ? []
      : [isOwn]
  })
  const isHabit = told.filter((one) => one === true).length > told.filter((one) => one === false).length
  return (line: SourceLine, answer: TranslatedLine): boolean => {
    if (echoesItsLine(line, answer) !== false) return true
    return !isHabit && !begins.some((one) => one.startsWith(lettersAndDigits(answer.begins)))
  }
}

/** Whether an answer tells the first words of its line; undefined where either has none. */
function echoesItsLine({ text }: SourceLine, answer: TranslatedLine | undefined): boolean | undefined {
  const [said, begins] = [lettersAndDigits(text), lettersAndDigits(answer?.begins ?? '')]
  if (said === '' || begins === '') return undefined
  return said.startsWith(begins) || begins.startsWith(said)
}

/** Longer texts than this are seldom the same in two languages, letters. */
const maxSameInBothLanguages = 12

/** Whether one text may translate the other. Asked for alone, with no direction, all that counts is its length. */
function isPlausible(source: string, text: string, direction: LanguagePair | undefined): boolean {
  if (lettersAndDigits(text) === '' && lettersAndDigits(source) !== '') return false
  if (estimateWidth(text) > 6 * estimateWidth(source) + 30) return false
  if (
    !direction ||
    lettersAndDigits(text).length < maxSameInBothLanguages ||
    isSameLanguage(direction.from, direction.to)
  )
    return true
  return lettersAndDigits(text) !== lettersAndDigits(source) && isWrittenIn(direction.to, text)
}

type AskedAndAnswered = readonly [asked: SourceLine | undefined, answered: TranslatedLine | undefined]

/** Whether two lines of other words have the same translation. */
function isRepeated([one, oneSaid]: AskedAndAnswered, [other, otherSaid]: AskedAndAnswered): boolean {
  if (!one || !other || !oneSaid || !otherSaid) return false
  const said = lettersAndDigits(oneSaid.text)
  return (
    said.length > 5 &&
    said === lettersAndDigits(otherSaid.text) &&
    lettersAndDigits(one.text) !== lettersAndDigits(other.text)
  )
}
