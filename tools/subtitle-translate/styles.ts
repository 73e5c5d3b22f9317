import { textEntries } from '../../src/media/subtitles/check.ts'
import type { AssStyle, Canvas } from '../../src/media/subtitles/styles.ts'
import type { SubtitleEntry, Subtitles } from '../../src/media/subtitles/subtitles.ts'
import { plainText } from '../../src/media/subtitles/tokens.ts'
import type { SubtitleLayout } from './page.ts'

/** The name of the style in which most is said. */
export function mainStyle(subtitles: Subtitles): string {
  const letters = new Map<string, number>()
  for (const entry of textEntries(subtitles)) {
    const { length } = plainText(entry.text, subtitles.format)
    letters.set(entryStyleName(entry), (letters.get(entryStyleName(entry)) ?? 0) + length)
  }
  return [...letters].reduce((one, other) => (other[1] > one[1] ? other : one), ['Default', 0] as const)[0]
}

/** The name of an entry's style; an asterisk before it says nothing. */
export const entryStyleName = ({ style }: SubtitleEntry) => style.replace(/^\*+/, '') || 'Default'

/** PlayRes of files that tell none. */
export const defaultPlayRes = { width: 384, height: 288 }

/** The styles of a result: that of its lines, and in two languages that of the original. */
export interface ResultStyles {
  readonly main: AssStyle
  readonly original: AssStyle | undefined
}

/** All of them. */
export const listStyles = ({ main, original }: ResultStyles) => [main, ...(original ? [original] : [])]

/** The styles of a page in the px of a file, which may count others than those of its canvas. */
export function scaleStyles({ canvas, translation, original }: SubtitleLayout, file: Canvas): ResultStyles {
  const [x, y] = [file.width / canvas.width, file.height / canvas.height]
  const scaled = (style: AssStyle): AssStyle => ({
    ...style,
    ...{ size: style.size * y, em: style.em * y, spacing: style.spacing * x },
    ...{ outline: style.outline * y, shadow: style.shadow * y },
    ...{ marginX: Math.round(style.marginX * x), marginY: Math.round(style.marginY * y) },
  })
  return { main: scaled(translation.style), original: original && scaled(original.style) }
}
