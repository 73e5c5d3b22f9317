import type { SubtitleLanguage } from '../../contract/languages.ts'
import { plainWidth } from '../../media/subtitles/widths.ts'
import { isSameLanguage, isWrittenIn } from './languages.ts'

/** A line that is to be translated, by its number in the file. */
export interface AskedLine {
  readonly id: number
  readonly text: string
}

/** A line as a model answers it: `begins` are the first words of the line that it took itself to translate. */
export interface AnsweredLine extends AskedLine {
  readonly begins: string
}

/** From one language into another. */
export interface Direction {
  readonly from: SubtitleLanguage
  readonly to: SubtitleLanguage
}

/**
 * Of an answer the lines that can be right, by their numbers. What was not asked for counts for nothing. Left out is a
 * line that has no words, has several translations, begins as another one, is far longer than what it is made of, or
 * says the same as the one beside it; and where a line is missing those beside it, which may have taken it in.
 */
export function rightLines(
  asked: readonly AskedLine[],
  answered: readonly AnsweredLine[],
  direction: Direction,
): Map<number, string> {
  const isAlone = asked.length === 1
  const given = asked.map((line) => onlyOne(answered.filter(({ id }) => id === line.id)))
  const isTaken = isAlone ? () => true : takesItsOwn(asked, given)
  const isGood = asked.map((line, at) => {
    const answer = given[at]
    return (
      answer !== undefined &&
      isLikely(line.text, answer.text, isAlone ? undefined : direction) &&
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
function bare(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

function onlyOne(answers: readonly AnsweredLine[]): AnsweredLine | undefined {
  const [first] = answers
  const isOne = answers.every(({ text }) => text === first?.text)
  return first !== undefined && isOne && first.text.trim() !== '' ? first : undefined
}

/**
 * Tells whether an answer is one to its own line: it begins as no other one, and, where the model mostly tells how
 * lines begin, as its own. What is the same in both languages tells nothing of that habit.
 */
function takesItsOwn(asked: readonly AskedLine[], given: readonly (AnsweredLine | undefined)[]) {
  const begins = asked.map(({ text }) => bare(text))
  const told = asked.flatMap((line, at) => {
    const answer = given[at]
    const isOwn = isEchoed(line, answer)
    return isOwn && bare(answer?.text ?? '').startsWith(bare(answer?.begins ?? '')) ? [] : [isOwn]
  })
  const isHabit = told.filter((one) => one === true).length > told.filter((one) => one === false).length
  return (line: AskedLine, answer: AnsweredLine): boolean => {
    if (isEchoed(line, answer) !== false) return true
    return !isHabit && !begins.some((one) => one.startsWith(bare(answer.begins)))
  }
}

/** Whether an answer tells the first words of its line; undefined where either has none. */
function isEchoed({ text }: AskedLine, answer: AnsweredLine | undefined): boolean | undefined {
  const [said, begins] = [bare(text), bare(answer?.begins ?? '')]
  if (said === '' || begins === '') return undefined
  return said.startsWith(begins) || begins.startsWith(said)
}

/** Longer texts than this are seldom the same in two languages, letters. */
const sameByChance = 12

/** Whether one text may translate the other. Asked for alone, with no direction, all that counts is its length. */
function isLikely(source: string, text: string, direction: Direction | undefined): boolean {
  if (bare(text) === '' && bare(source) !== '') return false
  if (plainWidth(text) > 6 * plainWidth(source) + 30) return false
  if (!direction || bare(text).length < sameByChance || isSameLanguage(direction.from, direction.to))
    return true
  return bare(text) !== bare(source) && isWrittenIn(direction.to, text)
}

type Pair = readonly [asked: AskedLine | undefined, answered: AnsweredLine | undefined]

/** Whether two lines of other words have the same translation. */
function isRepeated([one, oneSaid]: Pair, [other, otherSaid]: Pair): boolean {
  if (!one || !other || !oneSaid || !otherSaid) return false
  const said = bare(oneSaid.text)
  return said.length > 5 && said === bare(otherSaid.text) && bare(one.text) !== bare(other.text)
}
