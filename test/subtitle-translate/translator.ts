import { completes, type ChatBody, type ModelServer } from '../engines/language-model/model-server.ts'

/** A requested line and its answer. */
interface AskedLine {
  readonly id: number
  readonly text: string
}
interface AnsweredLine extends AskedLine {
  readonly begins: string
}

/** Returns the lines that a question asks for; undefined for a summary. */
export function linesAsked(body: ChatBody): AskedLine[] | undefined {
  const prompt = promptOf(body)
  if (!prompt.includes('Translate these')) return undefined
  return prompt
    .split('\n')
    .filter((line) => line.startsWith('{"id":'))
    .map((line) => JSON.parse(line) as AskedLine)
}

/** Returns the question of a chat without corrections. */
function promptOf({ messages }: ChatBody): string {
  const content = messages.find(({ role }) => role === 'user')?.content
  return typeof content === 'string' ? content : ''
}

/** Translates a line in a way that tests can predict. */
export const inChinese = (text: string) =>
  `译文${[...text].map((letter) => numerals[letter] ?? letter).join('')}译文`

const numerals: Readonly<Record<string, string>> = Object.fromEntries(
  [...'零一二三四五六七八九'].map((numeral, digit) => [String(digit), numeral]),
)

/** Returns the correct answer. */
export function correctAnswer(asked: readonly AskedLine[], translate = inChinese): AnsweredLine[] {
  return asked.map(({ id, text }) => ({
    id,
    begins: text.split(/\s+/).slice(0, 2).join(' '),
    text: translate(text),
  }))
}

/** Returns a fake model that summarizes files and translates lines with a function. */
export function translatingModel(
  answer: (asked: readonly AskedLine[]) => unknown = (asked) => ({ lines: correctAnswer(asked) }),
  summary: unknown = { summary: 'Somebody counts.', terms: [{ source: 'Line', translation: '行' }] },
): ModelServer['says'] {
  return (body) => {
    const asked = linesAsked(body)
    return asked ? answer(asked) : summary
  }
}

/** Simulates mistakes of models, different ones for each question; single lines are always correct. */
export function faultyAnswers(): (asked: readonly AskedLine[]) => unknown {
  let questions = 0
  return (asked) => {
    questions += 1
    const right = correctAnswer(asked)
    if (asked.length === 1)
      return questions % 3 === 0 ? `Sure! {"lines": ${JSON.stringify(right)}} Enjoy.` : { lines: right }
    const middle = Math.floor(right.length / 2)
    return faults[questions % faults.length]?.(right, middle) ?? { lines: right }
  }
}

type Fault = (right: readonly AnsweredLine[], middle: number) => unknown

const faults: readonly Fault[] = [
  // Two in one, which leaves one out.
  (right, middle) => ({ lines: right.flatMap((line, at) => merged(right, { line, at, middle })) }),
  // Two in one, and all that follow under the id of the one before.
  (right, middle) => ({
    lines: right.map((line, at) => (at < middle ? line : { ...(right[at + 1] ?? line), id: line.id })),
  }),
  (right, middle) => ({ lines: right.filter((_, at) => at !== middle) }),
  (right) => ({ lines: right.toReversed() }),
  (right, middle) => ({
    lines: right.map((line, at) => (at === middle ? { ...line, text: right[at - 1]?.text } : line)),
  }),
  (right, middle) => ({
    lines: right.map((line, at) => (at === middle ? { ...line, text: `${line.text}${chat}${chat}` } : line)),
  }),
  (right) => `Here are the lines you asked for!\n${JSON.stringify({ lines: right })}\nLet me know.`,
  (right, middle) => ({ lines: right.map((line, at) => (at === middle ? { ...line, text: ' ' } : line)) }),
  (right) => ({ lines: [...right, { id: 9999, begins: 'The end', text: '完' }] }),
  (right, middle) => ({ lines: [...right, { ...right[middle], text: '另一个说法' }] }),
  () => ({ translation: 'all of it' }),
]

const chat =
  '（请注意，这里的说法可以有好几种理解，我选择了最常见的一种，如果您需要别的说法，请告诉我，我会再翻译一次）'

function merged(
  right: readonly AnsweredLine[],
  { line, at, middle }: { readonly line: AnsweredLine; readonly at: number; readonly middle: number },
): AnsweredLine[] {
  if (at === middle) return [{ ...line, text: `${line.text}${right[at + 1]?.text ?? ''}` }]
  return at === middle + 1 ? [] : [line]
}

/** Returns a truncated answer. */
export function truncatedAnswer(asked: readonly AskedLine[]) {
  const whole = JSON.stringify({ lines: correctAnswer(asked) })
  return completes(whole.slice(0, whole.length / 2), 'length')
}
