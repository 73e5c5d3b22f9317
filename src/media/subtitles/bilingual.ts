import type { AssEvent } from './ass-file.ts'
import type { AssStyle } from './styles.ts'
import { escapeText } from './tokens.ts'

/** What is shown in two languages at once. */
export interface BilingualCue {
  readonly start: number
  readonly end: number
  readonly translation: readonly string[]
  readonly original: readonly string[]
}

/** Size of the original beside its translation. */
export const originalScale = 0.68

/**
 * A translation and its original as two lines of ASS, one above the other whatever the number of their lines: the
 * lower one stands as its style says, the upper one right above it.
 */
export function bilingualEvents(
  { start, end, translation, original }: BilingualCue,
  styles: { readonly translation: AssStyle; readonly original: AssStyle },
  place: 'above' | 'below' = 'above',
): AssEvent[] {
  const translated = { style: styles.translation, lines: translation }
  const spoken = { style: styles.original, lines: original }
  const [upper, lower] = place === 'above' ? [translated, spoken] : [spoken, translated]
  const marginY =
    lower.style.marginY + blockHeight(lower.style, lower.lines.length) + blockGap(upper.style, lower.style)
  return [
    { ...languageEvent(lower), marginY: lower.style.marginY },
    { ...languageEvent(upper), marginY: lower.lines.length === 0 ? lower.style.marginY : marginY },
  ]
    .filter(({ text }) => text !== '')
    .map((event) => ({ start, end, ...event }))
}

function languageEvent({ style, lines }: { readonly style: AssStyle; readonly lines: readonly string[] }) {
  return { style: style.name, text: escapeText(lines.join('\n'), 'ass') }
}

/** A line of ASS is as high as its Fontsize says. */
const blockHeight = ({ size }: AssStyle, lines: number) => lines * size

/** Between two blocks: a little, and room for both boxes, where they have such. */
function blockGap(upper: AssStyle, lower: AssStyle): number {
  return lower.em / 8 + (upper.box ? upper.outline + lower.outline : 0)
}
