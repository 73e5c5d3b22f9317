import { estimateWidth, type MeasureText } from './widths.ts'

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
