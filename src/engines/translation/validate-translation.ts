import { estimateWidth } from '../../media/subtitles/text-width.ts'
import type { TranslationRules } from './languages.ts'
import { isUntranslated, lettersAndDigits } from './untranslated.ts'

/** A line to translate, with its number in the file. */
export interface SourceLine {
  readonly id: number
  readonly text: string
}

/** A translation of a model. `begins` are the first words of the source line that it claims to translate. */
export interface TranslatedLine extends SourceLine {
  readonly begins: string
}

/**
 * Returns the plausible translations of an answer by line number. Ignores lines that were not requested. Rejects lines
 * that are empty, have several translations, belong to another line, are far too long, are not translated, or repeat the
 * line next to them. Also rejects the neighbours of a missing line, which may contain its words.
 */
export function validateTranslation(
  asked: readonly SourceLine[],
  answered: readonly TranslatedLine[],
  rules: TranslationRules,
): Map<number, string> {
  const isAlone = asked.length === 1
  const given = asked.map((line) => singleAnswer(answered.filter(({ id }) => id === line.id)))
  const isTaken = isAlone ? () => true : belongsToItsLine(asked, given)
  const isGood = asked.map((line, at) => {
    const answer = given[at]
    return (
      answer !== undefined && isPlausibleTranslation(line.text, answer.text, rules) && isTaken(line, answer)
    )
  })
  const isMissing = (at: number) => at in given && given[at] === undefined
  const valid = new Map<number, string>()
  for (const [at, { id }] of asked.entries()) {
    const text = given[at]?.text.trim()
    if (isGood[at] !== true || text === undefined || isMissing(at - 1) || isMissing(at + 1)) continue
    const repeats = [at - 1, at + 1].some((beside) =>
      isRepeated([asked[at], given[at]], [asked[beside], given[beside]]),
    )
    if (!repeats) valid.set(id, text)
  }
  return valid
}

function singleAnswer(answers: readonly TranslatedLine[]): TranslatedLine | undefined {
  const [first] = answers
  const isOne = answers.every(({ text }) => text === first?.text)
  return first !== undefined && isOne && first.text.trim() !== '' ? first : undefined
}

/**
 * Returns a check of whether a translation belongs to its line. It must not quote the first words of another line. If
 * the model mostly quotes them correctly, it must quote its own. Words that are equal in both languages do not count.
 */
function belongsToItsLine(asked: readonly SourceLine[], given: readonly (TranslatedLine | undefined)[]) {
  const begins = asked.map(({ text }) => lettersAndDigits(text))
  const endings = asked.flatMap((line, at) => {
    const answer = given[at]
    const isOwn = echoesItsLine(line, answer)
    return isOwn && lettersAndDigits(answer?.text ?? '').startsWith(lettersAndDigits(answer?.begins ?? ''))
      ? []
      : [isOwn]
  })
  const isHabit = endings.filter((one) => one === true).length > endings.filter((one) => one === false).length
  return (line: SourceLine, answer: TranslatedLine): boolean => {
    if (echoesItsLine(line, answer) !== false) return true
    return !isHabit && !begins.some((one) => one.startsWith(lettersAndDigits(answer.begins)))
  }
}

/** Whether an answer quotes the first words of its line; undefined if either has none. */
function echoesItsLine({ text }: SourceLine, answer: TranslatedLine | undefined): boolean | undefined {
  const [said, begins] = [lettersAndDigits(text), lettersAndDigits(answer?.begins ?? '')]
  if (said === '' || begins === '') return undefined
  return said.startsWith(begins) || begins.startsWith(said)
}

/** Whether a text can be the translation of another. */
function isPlausibleTranslation(source: string, text: string, rules: TranslationRules): boolean {
  if (lettersAndDigits(text) === '' && lettersAndDigits(source) !== '') return false
  if (estimateWidth(text) > 6 * estimateWidth(source) + 30) return false
  return !isUntranslated(source, text, rules)
}

type AskedAndAnswered = readonly [asked: SourceLine | undefined, answered: TranslatedLine | undefined]

/** Whether two different lines have the same translation. */
function isRepeated([one, oneSaid]: AskedAndAnswered, [other, otherSaid]: AskedAndAnswered): boolean {
  if (!one || !other || !oneSaid || !otherSaid) return false
  const said = lettersAndDigits(oneSaid.text)
  return (
    said.length > 5 &&
    said === lettersAndDigits(otherSaid.text) &&
    lettersAndDigits(one.text) !== lettersAndDigits(other.text)
  )
}
