import { translatableText } from './tokens.ts'
import type { SubtitleEntry, SkippedEntry, Subtitles } from './subtitles.ts'

/** Returns the entries with text to translate, which are counted and charged. */
export function textEntries(subtitles: Subtitles): SubtitleEntry[] {
  return [...entryTexts(subtitles).keys()]
}

/** Texts of files that were parsed already: a file may contain millions of tags. */
const knownTexts = new WeakMap<Subtitles, ReadonlyMap<SubtitleEntry, string>>()

/** Returns the plain text of each dialogue entry that has any. */
function entryTexts(subtitles: Subtitles): ReadonlyMap<SubtitleEntry, string> {
  const { entries, format } = subtitles
  const texts =
    knownTexts.get(subtitles) ??
    new Map(
      entries
        .filter(({ kind }) => kind === 'dialogue')
        .map((entry) => [entry, translatableText(entry.text, format)] as const)
        .filter(([, text]) => text !== ''),
    )
  knownTexts.set(subtitles, texts)
  return texts
}

/** Whether no entry has text. */
export function hasNoText(subtitles: Subtitles): boolean {
  return entryTexts(subtitles).size === 0
}

/**
 * Returns the first issue of a file that is malformed as a whole, which means that it has no entries, or more issues than
 * entries. Entries without duration do not count as issues. Undefined for other files.
 */
export function findMalformed({ entries, skipped, source }: Subtitles): Omit<SkippedEntry, 'at'> | undefined {
  const issues = skipped.filter(({ issue }) => issue !== 'zero')
  const [first] = issues
  if (first && issues.length > entries.length) return { line: first.line, issue: first.issue }
  const unread = entries.length === 0 && skipped.length === 0 && source.text.trim() !== ''
  return unread ? { line: 1, issue: 'stray' } : undefined
}

/** Two entries that a check found, in the order of their times. */
export type EntryPair = readonly [SubtitleEntry, SubtitleEntry]

/** Difference of starts, and of ends, up to which entries have the same time, in milliseconds. */
const sameTimeMs = 50

/**
 * Returns why a file is bilingual, undefined if it is not: two different entries have the same time, or most entries
 * consist of one line in Chinese, Japanese or Korean and one in an alphabet.
 */
export function findBilingual(
  subtitles: Subtitles,
): { kind: 'same time'; entries: EntryPair } | { kind: 'stacked'; entry: SubtitleEntry } | undefined {
  const texts = entryTexts(subtitles)
  const entries = [...texts.keys()]
  const together = findSameTime(entries)
  if (together) return { kind: 'same time', entries: together }
  const stacked = entries.filter((entry) => isStacked(texts.get(entry) ?? ''))
  const [first] = stacked
  return first && stacked.length >= 3 && stacked.length > entries.length / 2
    ? { kind: 'stacked', entry: first }
    : undefined
}

function findSameTime(entries: readonly SubtitleEntry[]): EntryPair | undefined {
  const cells = new Map<string, SubtitleEntry>()
  for (const entry of entries.toSorted((one, other) => one.start - other.start)) {
    const cell = [Math.floor(entry.start / sameTimeMs), Math.floor(entry.end / sameTimeMs)] as const
    for (const [start, end] of neighbourCells) {
      const other = cells.get(`${cell[0] + start} ${cell[1] + end}`)
      if (other && other.text !== entry.text && haveSameTimes(other, entry)) return [other, entry]
    }
    const key = cell.join(' ')
    if (!cells.has(key)) cells.set(key, entry)
  }
  return undefined
}

const neighbourCells = [-1, 0, 1].flatMap((start) => [-1, 0, 1].map((end) => [start, end] as const))

const haveSameTimes = (one: SubtitleEntry, other: SubtitleEntry) =>
  Math.abs(one.start - other.start) <= sameTimeMs && Math.abs(one.end - other.end) <= sameTimeMs

const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const alphabetic = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]{2}/u

function isStacked(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const [first = '', second = ''] = lines
  const differs = (one: string, other: string) =>
    eastAsian.test(one) && !eastAsian.test(other) && alphabetic.test(other)
  return lines.length === 2 && (differs(first, second) || differs(second, first))
}

/**
 * Returns two entries of ASS on different layers or in different styles that overlap for more than half of the shorter
 * one. Styles count as layers because files use them to separate signs from speech.
 */
export function findOverlappingLayers(subtitles: Subtitles): EntryPair | undefined {
  if (subtitles.format !== 'ass') return undefined
  const latest: SubtitleEntry[] = []
  for (const entry of textEntries(subtitles).toSorted((one, other) => one.start - other.start)) {
    const other = latest.find((one) => differInLayer(one, entry) && overlapMostly(one, entry))
    if (other) return [other, entry]
    // Of each layer and style the entry that ends last; two of them suffice to find one that differs.
    const same = latest.findIndex((one) => !differInLayer(one, entry))
    const replaced = same >= 0 ? same : latest.length < 2 ? latest.length : indexOfEarlierEnd(latest)
    if ((latest[replaced]?.end ?? 0) < entry.end) latest[replaced] = entry
  }
  return undefined
}

/** Returns why a file is not in one language and one layer, naming the lines, and the fix; undefined if it is. */
export function monolingualIssue(
  subtitles: Subtitles,
): { readonly what: string; readonly fix: string } | undefined {
  const bilingual = findBilingual(subtitles)
  if (bilingual) {
    const lines = bilingual.kind === 'stacked' ? [bilingual.entry] : bilingual.entries
    const where = lines.map(({ line }) => `line ${line}`).join(' and ')
    const what = `is bilingual: ${where} ${lines.length > 1 ? 'are of one time' : 'has two languages'}`
    return { what, fix: 'Keep the lines of one language.' }
  }
  const layers = findOverlappingLayers(subtitles)
  if (!layers) return undefined
  const [one, other] = layers
  return {
    what: `has several layers: lines ${one.line} and ${other.line} are shown at once`,
    fix: 'Keep the lines of one layer and style, and process the others as a file of their own.',
  }
}

const differInLayer = (one: SubtitleEntry, other: SubtitleEntry) =>
  one.layer !== other.layer || one.style !== other.style

const indexOfEarlierEnd = ([one, other]: readonly SubtitleEntry[]) =>
  (one?.end ?? 0) <= (other?.end ?? 0) ? 0 : 1

function overlapMostly(one: SubtitleEntry, other: SubtitleEntry): boolean {
  const shared = Math.min(one.end, other.end) - Math.max(one.start, other.start)
  return shared > Math.min(one.end - one.start, other.end - other.start) / 2
}

/** Returns the number of Unicode characters of the plain text without line ends, which is limited and charged. */
export function countCharacters(subtitles: Subtitles): number {
  let count = 0
  for (const text of entryTexts(subtitles).values()) {
    for (const character of text) if (character !== '\n') count += 1
  }
  return count
}

/** Limits of one file. */
export const subtitleLimits = { entries: 2000, characters: 80_000, bytes: 8 * 2 ** 20 } as const

/** Returns the first limit that a file exceeds, with its value. */
export function exceededLimit(
  subtitles: Subtitles,
): { readonly limit: keyof typeof subtitleLimits; readonly value: number } | undefined {
  const values = {
    bytes: () => subtitles.source.bytes.length,
    entries: () => entryTexts(subtitles).size,
    characters: () => countCharacters(subtitles),
  }
  for (const limit of ['bytes', 'entries', 'characters'] as const) {
    const value = values[limit]()
    if (value > subtitleLimits[limit]) return { limit, value }
  }
  return undefined
}
