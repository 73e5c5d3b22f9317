/** Returns the width of a text of one line, in the unit of the line limit. */
export type MeasureText = (text: string) => number

/** Splits text into what readers see as characters. */
export const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Characters that are one em wide: Wide and Fullwidth of East Asian Width (UAX 11), and emoji. */
const wide =
  /^(?:\p{Emoji_Presentation}|\p{Regional_Indicator}|.\ufe0f|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\u2e80-\u303e\u3041-\u33ff\ufe30-\ufe4f\uff01-\uff60\uffe0-\uffe6])/u
const halfKana = /^[\uff61-\uff9f]/u
const zeroWidth = /^[\p{M}\p{Cf}\p{Cc}]/u
const thin = /^[\s.,:;!|'’`ijlI()[\]/\\]/u
const broad = /^[mwMW@%&\p{Lu}]/u

/**
 * Estimates the width of a text in ems without a font: 1 for East Asian letters, for others slightly more than in a usual
 * sans serif.
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

/** A font family and the widths of text drawn in it. */
export interface Typeface {
  readonly family: string
  /**
   * Pixels of an em at Fontsize 1. Fontsize of ASS is the line height, of which the em is a different share in each
   * font.
   */
  readonly emPerSize: number
  /** Returns the width of a text of one line, in ems. */
  measure(text: string, bold: boolean): number
  /** Whether the width of a text is measured in the font, not estimated. */
  isMeasured(text: string): boolean
}

/** Returns a typeface with estimated widths, for a family that cannot be measured. */
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

/** Returns the Fontsize for an em in pixels. */
export function fontSize({ emPerSize }: Typeface, em: number): number {
  return em / emPerSize
}
