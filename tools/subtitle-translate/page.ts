import type { InputOf } from '../../src/contract/operation.ts'
import { typefaceFor } from '../../src/engines/subtitles/typefaces.ts'
import { originalScale } from '../../src/media/subtitles/bilingual.ts'
import { lineLimit, presetStyle, type AssStyle, type Canvas } from '../../src/media/subtitles/styles.ts'
import type { Subtitles } from '../../src/media/subtitles/subtitles.ts'
import type { Typeface } from '../../src/media/subtitles/typeface.ts'
import type { LineLimit } from '../../src/media/subtitles/wrap.ts'
import type { subtitleTranslate } from './contract.ts'

/** How lines of one language look, and what room they have. */
export interface LanguageStyle {
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
