import { textEntries } from './check.ts'
import type { Entry, Format, Subtitles } from './subtitles.ts'
import { plainText, tokensOf } from './tokens.ts'
import { plainWidth } from './widths.ts'
import { onOneLine } from './wrap.ts'

/** What is translated as one: an entry, or several that make up a sentence. */
export interface Passage {
  /** In order, one at least; tags of the first hold for all of them. */
  readonly entries: readonly [Entry, ...Entry[]]
  /** Plain; on one line, but for lines of several speakers. */
  readonly text: string
  /** Whether it stays one entry of the same times, whatever its length. */
  readonly isFixed: boolean
}

/** Each entry with text by itself, its times kept. */
export function entriesAlone(subtitles: Subtitles): Passage[] {
  return textEntries(subtitles).map((entry) => alone(entry, subtitles.format))
}

/** A pause within a sentence, ms; a sentence longer than this, ms, or wider, ems, is several passages. */
const most = { pause: 800, length: 14_000, width: 80 }

/**
 * Entries joined to sentences: what follows closely and ends no sentence goes on in the next one, of the same look
 * and layer. A line that begins with a dash is another speaker's. Entries with tags between their words, or with a
 * place of their own, stay as they are.
 */
export function sentencesOf(subtitles: Subtitles): Passage[] {
  const { format } = subtitles
  const passages: Passage[] = []
  for (const entry of textEntries(subtitles)) {
    const last = passages.at(-1)
    const next = joinable(entry, format) ? { ...alone(entry, format), isFixed: false } : alone(entry, format)
    const joined = last && !last.isFixed && !next.isFixed ? join(last, next, format) : undefined
    if (joined) passages[passages.length - 1] = joined
    else passages.push(next)
  }
  return passages
}

function alone(entry: Entry, format: Format): Passage {
  const text = plainText(entry.text, format)
  return { entries: [entry], text: isDialogue(text) ? text : onOneLine(text), isFixed: true }
}

const dash = /^\s*[-–—‐]\s*(?=\S)/

/** Whether two speakers share an entry, each with a line that begins with a dash. */
export function isDialogue(text: string): boolean {
  return text.split('\n').filter((line) => dash.test(line)).length > 1
}

/** Whether all tags of an entry stand around its words, and none says where it is shown. */
function joinable({ text }: Entry, format: Format): boolean {
  if (isDialogue(plainText(text, format))) return false
  const tokens = tokensOf(text, format)
  const isTag = ({ kind }: { kind: string }) => kind === 'tags' || kind === 'drawing'
  const words = tokens.map((token, at) => (isTag(token) ? -1 : at)).filter((at) => at >= 0)
  const [first = 0, last = 0] = [words[0], words.at(-1)]
  return tokens.every(
    (token, at) =>
      !isTag(token) || ((at < first || at > last) && !placing.test(token.raw) && token.kind === 'tags'),
  )
}

const placing = /\\(an?\d|pos|move|org|t\(|k)/i

const ended = /[.!?。！？…｡．][”’」』）)》"'»♪\s]*$/u

function join(before: Passage, next: Passage, format: Format): Passage | undefined {
  const [first] = before.entries
  const [entry] = next.entries
  const last = before.entries.at(-1) ?? first
  const pause = entry.start - last.end
  const goesOn =
    pause <= most.pause && pause > -most.pause && entry.start >= last.start && !ended.test(before.text)
  const isAlike =
    entry.style === first.style &&
    entry.layer === first.layer &&
    tagsOf(entry, format) === tagsOf(first, format) &&
    !dash.test(next.text)
  if (!goesOn || !isAlike || entry.end - first.start > most.length) return undefined
  const text = onOneLine(`${before.text}\n${next.text}`)
  if (plainWidth(text) > most.width) return undefined
  return { entries: [...before.entries, entry], text, isFixed: false }
}

const tagsOf = ({ text }: Entry, format: Format) =>
  tokensOf(text, format)
    .map(({ kind, raw }) => (kind === 'tags' ? raw : ' '))
    .join('')
    .trim()
