/** The width of a text of one line, in whatever unit the width of a line is given in. */
export type MeasureText = (text: string) => number

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** As wide as high by East Asian Width (UAX 11): Wide and Fullwidth, and pictures. */
const wide =
  /^(?:\p{Emoji_Presentation}|\p{Regional_Indicator}|.\ufe0f|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\u2e80-\u303e\u3041-\u33ff\ufe30-\ufe4f\uff01-\uff60\uffe0-\uffe6])/u
const halfKana = /^[\uff61-\uff9f]/u
const zeroWidth = /^[\p{M}\p{Cf}\p{Cc}]/u
const thin = /^[\s.,:;!|'’`ijlI()[\]/\\]/u
const broad = /^[mwMW@%&\p{Lu}]/u

/**
 * The width of a text in ems by the kind of its letters, for want of a font: East Asian ones 1; of alphabets what a
 * usual sans serif takes, rather more than less.
 */
export function estimateWidth(text: string): number {
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += letterWidth(segment)
  return width
}

function letterWidth(letter: string): number {
  if (zeroWidth.test(letter)) return 0
  if (halfKana.test(letter)) return 0.5
  if (wide.test(letter)) return 1
  if (thin.test(letter)) return 0.34
  return broad.test(letter) ? 0.76 : 0.6
}

/** A family of fonts as subtitles are drawn with it. */
export interface Typeface {
  readonly family: string
  /** Px of an em at Fontsize 1: ASS counts the height of a line, which fonts divide differently. */
  readonly emPerSize: number
  /** The width of a text of one line, ems. */
  measure(text: string, bold: boolean): number
  /** Whether a text is measured as it is drawn, rather than estimated by the kind of its letters. */
  isMeasured(text: string): boolean
}

/** A family of which nothing is known: widths by the kind of the letters, which callers report. */
export function estimatedTypeface(family: string): Typeface {
  const measure: MeasureText = estimateWidth
  return {
    family,
    emPerSize: defaultEmPerSize,
    measure: (text) => measure(text) * 1.05,
    isMeasured: () => false,
  }
}

/** Between Arial's 0.87 and Noto Sans CJK's 0.69. */
const defaultEmPerSize = 0.8

/** Fontsize of an em. */
export function fontSize({ emPerSize }: Typeface, em: number): number {
  return em / emPerSize
}
