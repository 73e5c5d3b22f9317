import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assFile, type AssEvent } from '../../../src/media/subtitles/ass-file.ts'
import { bothEvents, originalScale } from '../../../src/media/subtitles/bilingual.ts'
import type { LetterColour, Preset } from '../../../src/media/subtitles/looks.ts'
import { roomOf, styleOf, type Canvas } from '../../../src/media/subtitles/styles.ts'
import { written } from '../../../src/media/subtitles/tokens.ts'
import type { Typeface } from '../../../src/media/subtitles/typeface.ts'
import { wrapText } from '../../../src/media/subtitles/wrap.ts'
import { burnFrame } from '../../../src/engines/subtitles/burn.ts'
import { typefaceFor } from '../../../src/engines/subtitles/typefaces.ts'

/** A line of subtitles and how it is to look. */
export interface Look {
  readonly preset: Preset
  readonly colour?: LetterColour
  readonly canvas: Canvas
  readonly text: string
  readonly typeface: Typeface
  /** Below it, smaller. */
  readonly original?: { readonly text: string; readonly typeface: Typeface }
}

/** A file that shows a text, wrapped as it is to be. */
export function lookFile({ preset, colour = '雅黑', canvas, text, typeface, original }: Look): string {
  const style = styleOf({ preset, colour, canvas, typeface, name: 'Default' })
  const lines = wrapText(text, roomOf(style, canvas, typeface))
  const times = { start: 0, end: 5000 }
  if (!original) {
    const event: AssEvent = { ...times, style: 'Default', text: written(lines.join('\n'), 'ass') }
    return assFile({ canvas, styles: [style], events: [event] })
  }
  const below = styleOf({
    ...{ preset, colour: '雅黑' as const, canvas, typeface: original.typeface, name: 'Original' },
    scale: originalScale,
  })
  const events = bothEvents(
    {
      ...times,
      translation: lines,
      original: wrapText(original.text, roomOf(below, canvas, original.typeface)),
    },
    { translation: style, original: below },
  )
  return assFile({ canvas, styles: [style, below], events })
}

/** The typeface of a language on this machine. */
export async function typefaceHere(language: string): Promise<Typeface> {
  return await inFolder((scratch) => typefaceFor(language, { scratch }))
}

/** The picture of a canvas with subtitles burned in, three bytes a pixel. */
export async function burned(
  picture: { readonly width: number; readonly height: number; readonly pixels: Uint8Array },
  ass: string,
): Promise<Uint8Array> {
  return await inFolder((folder) => burnFrame(picture, { ass, folder, atMs: 1000, signal: undefined }))
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'burned-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Three bytes a pixel as four, opaque. */
export function rgbaOf(rgb: Uint8Array): Uint8Array {
  const rgba = new Uint8Array((rgb.length / 3) * 4).fill(255)
  for (let at = 0; at < rgb.length / 3; at += 1) rgba.set(rgb.subarray(3 * at, 3 * at + 3), 4 * at)
  return rgba
}
