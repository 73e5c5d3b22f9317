import type { Size } from '../../src/media/geometry.ts'
import type { InputOf } from '../../src/contract/operation.ts'
import { typefaceFor } from '../../src/engines/subtitles/typefaces.ts'
import { originalScale } from '../../src/media/subtitles/ass-file.ts'
import { textEntries } from '../../src/media/subtitles/check.ts'
import { type AssStyle, lineLimit, presetStyle } from '../../src/media/subtitles/style-presets.ts'
import type { SubtitleEntry, Subtitles } from '../../src/media/subtitles/subtitles.ts'
import type { Typeface } from '../../src/media/subtitles/text-width.ts'
import { plainText } from '../../src/media/subtitles/tokens.ts'
import type { LineLimit } from '../../src/media/subtitles/wrap.ts'
import type { subtitleTranslate } from './contract.ts'

/** Typeface, style and line limit of one language. */
interface LanguageStyle {
  readonly typeface: Typeface
  readonly style: AssStyle
  readonly room: LineLimit
}

/** The canvas and the styles of the result. */
export interface SubtitleLayout {
  readonly canvas: Size
  readonly translation: LanguageStyle
  /** Style of the original; only in bilingual results. */
  readonly original?: LanguageStyle
}

type Input = InputOf<typeof subtitleTranslate>

/** Returns the requested canvas, otherwise that of the file, otherwise 1920x1080 (contract 3, 4.10). */
function layoutCanvas({ video_size: size }: Input, subtitles: Subtitles): Size {
  const [width, height] = size ?? []
  if (width !== undefined && height !== undefined) return { width, height }
  return subtitles.canvas ?? { width: 1920, height: 1080 }
}

/** Characters that a style name in a tag must not contain. */
const tagDelimiters = /[{}\\]/g

/** Returns the layout of the result. name: name of the style of translated lines. */
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

/** Returns the name of the style with the most text. */
export function mainStyle(subtitles: Subtitles): string {
  const letters = new Map<string, number>()
  for (const entry of textEntries(subtitles)) {
    const { length } = plainText(entry.text, subtitles.format)
    letters.set(entryStyleName(entry), (letters.get(entryStyleName(entry)) ?? 0) + length)
  }
  return [...letters].reduce((one, other) => (other[1] > one[1] ? other : one), ['Default', 0] as const)[0]
}

/** Returns the name of an entry's style without a leading asterisk, which has no meaning. */
export const entryStyleName = ({ style }: SubtitleEntry) => style.replace(/^\*+/, '') || 'Default'

/** PlayRes of files that set none. */
export const defaultPlayRes = { width: 384, height: 288 }

/** Styles of the result: that of the translation, and in bilingual results that of the original. */
export interface ResultStyles {
  readonly main: AssStyle
  readonly original: AssStyle | undefined
}

/** Returns all styles as a list. */
export const listStyles = ({ main, original }: ResultStyles) => [main, ...(original ? [original] : [])]

/** Scales the styles of a layout from the pixels of its canvas to those of a file's PlayRes. */
export function scaleStyles({ canvas, translation, original }: SubtitleLayout, file: Size): ResultStyles {
  const [x, y] = [file.width / canvas.width, file.height / canvas.height]
  const scaled = (style: AssStyle): AssStyle => ({
    ...style,
    ...{ size: style.size * y, em: style.em * y, spacing: style.spacing * x },
    ...{ outline: style.outline * y, shadow: style.shadow * y },
    ...{ marginX: Math.round(style.marginX * x), marginY: Math.round(style.marginY * y) },
  })
  return { main: scaled(translation.style), original: original && scaled(original.style) }
}
