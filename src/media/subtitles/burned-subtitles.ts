import type { Size } from '../geometry.ts'
import { type AssEvent, assFile, marginAbove } from './ass-file.ts'
import { burnedColours, burnedStyle } from './burned-style.ts'
import { removeControls } from './control-characters.ts'
import type { Cue } from './split-cues.ts'
import { stripPunctuation } from './strip-punctuation.ts'
import type { AssStyle } from './style-presets.ts'
import type { Typeface } from './text-width.ts'
import { escapeText } from './tokens.ts'
import { unwrapText, wrapText } from './wrap.ts'

/** A line of subtitles on the time of its clip, ms. */
export interface BurnedCue extends Cue {
  /** Its translation, which is shown below. */
  readonly translation?: string
}

/** A word or phrase that is drawn in another colour while it is said; times are ms of the clip. */
export interface BurnedHighlight {
  readonly text: string
  readonly start: number
  readonly end: number
}

export interface BurnedSubtitlesOptions {
  readonly canvas: Size
  readonly typeface: Typeface
  /** Typeface of the translations. */
  readonly translationTypeface?: Typeface
  readonly highlights?: readonly BurnedHighlight[]
  /** Removes commas and periods, but only after they have decided where lines are divided. Default: they stay. */
  readonly strip?: boolean
}

/** Most lines of a language at once. */
const maxLines = 2

/** Size of the letters of a translation. */
const translationScale = 0.72

/** Sizes of the letters of cues that are too long to be read at the usual one, largest first. */
const scales = [1, 0.85, 0.7] as const

/** Least time for two lines, ms. */
const minPageMs = 700

/**
 * Returns an .ass file of subtitles to burn into a clip. Each language has at most two lines: a longer cue is divided
 * into parts that are shown one after another, in smaller letters if there is little time. All letters are inside of
 * `safeArea`. Text is never read as tags.
 */
export function burnedSubtitles(cues: readonly BurnedCue[], options: BurnedSubtitlesOptions): string {
  const { canvas, typeface, translationTypeface = typeface } = options
  const styles = scales.map((scale) => ({
    original: burnedStyle({ name: `original-${scale}`, canvas, typeface, scale }),
    translation: burnedStyle({
      ...{ name: `translation-${scale}`, canvas, typeface: translationTypeface },
      scale: scale * translationScale,
    }),
  }))
  const events = cues.flatMap((cue) => {
    const layouts = styles.map((pair) => layOut(cue, pair, options))
    const most = Math.max(1, Math.floor((cue.end - cue.start) / minPageMs))
    const layout = layouts.find(({ pages }) => pages.length <= most) ?? layouts.at(-1)
    return layout ? pageEvents(cue, layout, options) : []
  })
  return assFile({
    canvas,
    styles: styles.flatMap(({ original, translation }) => [original, translation]),
    events,
  })
}

interface StylePair {
  readonly original: AssStyle
  readonly translation: AssStyle
}

interface Page {
  readonly original: readonly string[]
  readonly translation: readonly string[]
}

interface Layout {
  readonly styles: StylePair
  readonly pages: readonly Page[]
}

/** Wraps both languages of a cue and divides their lines over the same pages. */
function layOut(
  { lines, translation = '' }: BurnedCue,
  styles: StylePair,
  { typeface, translationTypeface = typeface, strip = false }: BurnedSubtitlesOptions,
): Layout {
  const written = (all: readonly string[]) =>
    (strip ? all.map(stripPunctuation) : all).filter((line) => line.trim() !== '')
  const original = written(wrapStyled(lines.join('\n'), styles.original, typeface))
  const translated = written(wrapStyled(translation, styles.translation, translationTypeface))
  const count = Math.ceil(Math.max(original.length, translated.length) / maxLines)
  const onPage = (all: readonly string[], page: number) =>
    all.filter((_, index) => Math.floor((index * count) / all.length) === page)
  const pages = Array.from({ length: count }, (_, page) => ({
    original: onPage(original, page),
    translation: onPage(translated, page),
  }))
  return { styles, pages }
}

function wrapStyled(text: string, style: AssStyle, typeface: Typeface): string[] {
  const plain = unwrapText(removeControls(text).replaceAll(/[\t\u2028\u2029\u0085\v\f]/g, '\n'))
  const measure = (line: string) => typeface.measure(line, style.bold) * style.em
  return wrapText(plain, { width: style.lineWidth, measure })
}

/** Returns the events of a cue. */
function pageEvents(
  cue: BurnedCue,
  { pages, styles }: Layout,
  { highlights = [] }: BurnedSubtitlesOptions,
): AssEvent[] {
  const starts = pageStarts(cue, pages)
  const times = ({ first, end }: ShownLines) => ({
    start: starts[first] ?? cue.start,
    end: starts[end] ?? cue.end,
  })
  const translations = shownLines(pages.map(({ translation }) => translation))
  return [
    ...translations.map((shown) => ({
      ...{ ...times(shown), style: styles.translation.name },
      text: eventText(shown.lines, []),
    })),
    ...shownLines(pages.map(({ original }) => original)).map((shown) => {
      const own = times(shown)
      const below = translations.filter(({ first, end }) => first < shown.end && end > shown.first)
      const lower = Math.max(0, ...below.map(({ lines }) => lines.length))
      const said = highlights.filter((one) => one.start < own.end && one.end > own.start)
      return {
        ...{ ...own, style: styles.original.name, text: eventText(shown.lines, said) },
        marginY:
          lower === 0 ? styles.original.marginY : marginAbove(styles.translation, lower, styles.original),
      }
    }),
  ]
}

/** Returns when each page starts, ms: pages share the time of their cue by their letters. */
function pageStarts({ start, end }: BurnedCue, pages: readonly Page[]): number[] {
  const letters = pages.map(({ original, translation }) =>
    Math.max(1, (original.length > 0 ? original : translation).join('').length),
  )
  const total = letters.reduce((sum, count) => sum + count, 0)
  let shown = 0
  return letters.map((count) => {
    const from = Math.round(start + ((end - start) * shown) / total)
    shown += count
    return from
  })
}

/** Lines of one language, shown from page `first` to before page `end`. */
interface ShownLines {
  readonly first: number
  readonly end: number
  readonly lines: readonly string[]
}

/** Returns the lines of one language on successive pages. They stay on pages that have no lines of it. */
function shownLines(pages: readonly (readonly string[])[]): ShownLines[] {
  const firsts = pages.flatMap((lines, page) => (lines.length > 0 ? [page] : []))
  return firsts.map((first, index) => ({
    ...{ first, end: firsts[index + 1] ?? pages.length },
    lines: pages[first] ?? [],
  }))
}

/** Returns lines in the syntax of .ass, with highlighted phrases in their colour. */
function eventText(lines: readonly string[], said: readonly BurnedHighlight[]): string {
  const phrases = said.map(({ text }) => text)
  return lines.map((line) => highlighted(line, phrases)).join(String.raw`\N`)
}

function highlighted(line: string, phrases: readonly string[]): string {
  const spans = phrases.flatMap((phrase) => phraseSpan(line, phrase) ?? [])
  let text = ''
  let done = 0
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    if (from < done) continue
    text += `${escapeText(line.slice(done, from), 'ass')}${colourTag}${escapeText(line.slice(from, to), 'ass')}{\\r}`
    done = to
  }
  return text + escapeText(line.slice(done), 'ass')
}

const [, red, green, blue] = /^#(..)(..)(..)$/.exec(burnedColours.highlight) ?? []
const colourTag = `{\\1c&H${blue}${green}${red}&}`

/** Returns where a phrase is in a line, as whole words; undefined if it is not or ends on the next line. */
function phraseSpan(
  line: string,
  phrase: string,
): { readonly from: number; readonly to: number } | undefined {
  const [text, wanted] = [line.toLowerCase(), phrase.trim().toLowerCase()]
  // A few letters change their length with their case.
  if (wanted === '' || text.length !== line.length) return undefined
  for (let from = text.indexOf(wanted); from >= 0; from = text.indexOf(wanted, from + 1)) {
    const to = from + wanted.length
    if (!isInsideWord(text, from) && !isInsideWord(text, to)) return { from, to }
  }
  return undefined
}

/** Whether a position is between two letters of scripts that are written with spaces. */
function isInsideWord(text: string, at: number): boolean {
  const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? ''
  return spacedLetter.test(before) && spacedLetter.test(text.slice(at, at + 2))
}

const spacedLetter = /^(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{M}\p{N}]/u
