import type { InputOf } from '../../src/contract/operation.ts'
import { typefaceFor } from '../../src/engines/subtitles/typefaces.ts'
import { originalScale } from '../../src/media/subtitles/ass-file.ts'
import { textEntries } from '../../src/media/subtitles/check.ts'
import {
  type AssStyle,
  type Canvas,
  lineLimit,
  presetStyle,
} from '../../src/media/subtitles/style-presets.ts'
import type { SubtitleEntry, Subtitles } from '../../src/media/subtitles/subtitles.ts'
import type { Typeface } from '../../src/media/subtitles/text-width.ts'
import { plainText } from '../../src/media/subtitles/tokens.ts'
import type { LineLimit } from '../../src/media/subtitles/wrap.ts'
import type { subtitleTranslate } from './contract.ts'

/** How lines of one language look, and what room they have. */
interface LanguageStyle {
  readonly typeface: Typeface
  readonly style: AssStyle
  readonly room: LineLimit
}

/** Where lines are shown. */
export interface SubtitleLayout {
  readonly canvas: Canvas
  readonly translation: LanguageStyle
  /** Only of both languages. */
  readonly original?: LanguageStyle
}

type Input = InputOf<typeof subtitleTranslate>

/** The canvas: what is asked for, else what the file tells, else that of most videos (contract 3, 4.10). */
function layoutCanvas({ video_size: size }: Input, subtitles: Subtitles): Canvas {
  const [width, height] = size ?? []
  if (width !== undefined && height !== undefined) return { width, height }
  return subtitles.canvas ?? { width: 1920, height: 1080 }
}

/** No name with these can stand in a tag. */
const tagDelimiters = /[{}\\]/g

/** How the result looks; the name is that of the style of its lines. */
export async function createLayout(
  input: Input,
  subtitles: Subtitles,
  { name, ...probing }: { readonly name: string; readonly scratch: string; readonly signal: AbortSignal },
): Promise<SubtitleLayout> {
  const canvas = layoutCanvas(input, subtitles)
  const { subtitle_type: preset = 'default', subtitle_color: colour = '雅黑' } = input
  const face = async (language: string, more: { name: string; scale?: number }): Promise<LanguageStyle> => {
    const typeface = await typefaceFor(language, probing)
    const style = presetStyle({ preset, colour, canvas, typeface, ...more })
    return { typeface, style, room: lineLimit(style, canvas, typeface) }
  }
  const translation = await face(input.translate_language, { name })
  if (input.lingual_type !== 'bilingual') return { canvas, translation }
  const original = await face(input.language, {
    name: `${name.replaceAll(tagDelimiters, '')} original`,
    scale: originalScale,
  })
  return { canvas, translation, original }
}

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
