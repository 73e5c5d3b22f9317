import { completes, type ChatBody, type ModelServer } from '../engines/language-model/model-server.ts'

/** A requested line and its answer. */
interface RequestedLine {
  readonly id: number
  readonly text: string
}
interface TranslatedLine extends RequestedLine {
  readonly begins: string
}

/** Returns the lines to translate in a request; undefined for a request of a summary. */
export function requestedLines(body: ChatBody): RequestedLine[] | undefined {
  const { lines } = JSON.parse(promptOf(body)) as { readonly lines: readonly (RequestedLine | string)[] }
  return lines.some((line) => typeof line === 'string') ? undefined : (lines as RequestedLine[])
}

/** Whether a request contains lines, to translate or to summarize. */
export function isTranslation(body: ChatBody): boolean {
  return /^\s*\{.*"lines":/s.test(promptOf(body))
}

/** Returns the user message of a chat. */
function promptOf({ messages }: ChatBody): string {
  const content = messages.find(({ role }) => role === 'user')?.content
  if (typeof content === 'string') return content
  return content?.map(({ text = '' }) => text).join('') ?? ''
}

/** Translates a line in a way that tests can predict. */
export const fakeChinese = (text: string) =>
  `译文${[...text].map((letter) => numerals[letter] ?? letter).join('')}译文`

const numerals: Readonly<Record<string, string>> = Object.fromEntries(
  [...'零一二三四五六七八九'].map((numeral, digit) => [String(digit), numeral]),
)

/** Returns the correct answer. */
export function correctAnswer(
  requested: readonly RequestedLine[],
  translate = fakeChinese,
): TranslatedLine[] {
  return requested.map(({ id, text }) => ({
    id,
    begins: text.split(/\s+/).slice(0, 2).join(' '),
    text: translate(text),
  }))
}

/** Returns a fake model that summarizes files and translates lines with a function. */
export function translatingModel(
  answer: (requested: readonly RequestedLine[]) => unknown = (requested) => ({
    lines: correctAnswer(requested),
  }),
  summary: unknown = { summary: 'Somebody counts.', terms: [{ source: 'Line', translation: '行' }] },
): ModelServer['says'] {
  return (body) => {
    const requested = requestedLines(body)
    return requested ? answer(requested) : summary
  }
}

/** Simulates mistakes of models, different ones for each request; single lines are always correct. */
export function faultyAnswers(): (requested: readonly RequestedLine[]) => unknown {
  let questions = 0
  const all = Object.values(faults)
  return (requested) => {
    questions += 1
    const right = correctAnswer(requested)
    if (requested.length === 1)
      return questions % 3 === 0 ? `Sure! {"lines": ${JSON.stringify(right)}} Enjoy.` : { lines: right }
    const middle = Math.floor(right.length / 2)
    return all[questions % all.length]?.(right, middle) ?? { lines: right }
  }
}

type Fault = (right: readonly TranslatedLine[], middle: number) => unknown

/** Mistakes of models in the answer about some lines, by name. `middle`: index of a line in the middle. */
export const faults: Readonly<Record<string, Fault>> = {
  'two lines merged into one': (right, middle) => ({
    lines: right.flatMap((line, at) => merged(right, { line, at, middle })),
  }),
  'ids shifted by one from the middle on': (right, middle) => ({
    lines: right.map((line, at) => (at < middle ? line : { ...(right[at + 1] ?? line), id: line.id })),
  }),
  'a missing line': (right, middle) => ({ lines: right.filter((_, at) => at !== middle) }),
  'reverse order': (right) => ({ lines: right.toReversed() }),
  'the translation of another line': (right, middle) => ({
    lines: right.map((line, at) => (at === middle ? { ...line, text: right[at - 1]?.text } : line)),
  }),
  'chat in a line': (right, middle) => ({
    lines: right.map((line, at) => (at === middle ? { ...line, text: `${line.text}${chat}${chat}` } : line)),
  }),
  'chat around the answer': (right) =>
    `Here are the lines you asked for!\n${JSON.stringify({ lines: right })}\nLet me know.`,
  'an empty line': (right, middle) => ({
    lines: right.map((line, at) => (at === middle ? { ...line, text: ' ' } : line)),
  }),
  'a line that was not asked': (right) => ({
    lines: [...right, { id: 9999, begins: 'The end', text: '完' }],
  }),
  'a line translated twice': (right, middle) => ({
    lines: [...right, { ...right[middle], text: '另一个说法' }],
  }),
  'another object': () => ({ translation: 'all of it' }),
}

const chat =
  '（请注意，这里的说法可以有好几种理解，我选择了最常见的一种，如果您需要别的说法，请告诉我，我会再翻译一次）'

function merged(
  right: readonly TranslatedLine[],
  { line, at, middle }: { readonly line: TranslatedLine; readonly at: number; readonly middle: number },
): TranslatedLine[] {
  if (at === middle) return [{ ...line, text: `${line.text}${right[at + 1]?.text ?? ''}` }]
  return at === middle + 1 ? [] : [line]
}

/** Returns a truncated answer. */
export function truncatedAnswer(requested: readonly RequestedLine[]) {
  const whole = JSON.stringify({ lines: correctAnswer(requested) })
  return completes(whole.slice(0, whole.length / 2), 'length')
}
