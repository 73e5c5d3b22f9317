import type { Size } from '../../../src/media/geometry.ts'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AssEvent,
  assFile,
  bilingualEvents,
  originalScale,
} from '../../../src/media/subtitles/ass-file.ts'
import type { LetterColourName, SubtitleStyleName } from '../../../src/contract/subtitle-styles.ts'
import { lineLimit, presetStyle } from '../../../src/media/subtitles/style-presets.ts'
import { escapeText } from '../../../src/media/subtitles/tokens.ts'
import type { Typeface } from '../../../src/media/subtitles/text-width.ts'
import { wrapText } from '../../../src/media/subtitles/wrap.ts'
import { assTime } from '../../../src/media/subtitles/times.ts'
import { runRaw } from '../../../src/engines/ffmpeg/run.ts'
import { burnFrame } from '../../../src/engines/subtitles/burn.ts'
import { typefaceFor } from '../../../src/engines/subtitles/typefaces.ts'

/** A line of subtitles with its style. */
export interface RenderOptions {
  readonly preset: SubtitleStyleName
  readonly colour?: LetterColourName
  readonly canvas: Size
  readonly text: string
  readonly typeface: Typeface
  /** Original text, drawn smaller below. */
  readonly original?: { readonly text: string; readonly typeface: Typeface }
}

/** Returns an ASS file that shows a wrapped text. */
export function presetAssFile({
  preset,
  colour = '雅黑',
  canvas,
  text,
  typeface,
  original,
}: RenderOptions): string {
  const style = presetStyle({ preset, colour, canvas, typeface, name: 'Default' })
  const lines = wrapText(text, lineLimit(style, canvas, typeface))
  const times = { start: 0, end: 5000 }
  if (!original) {
    const event: AssEvent = { ...times, style: 'Default', text: escapeText(lines.join('\n'), 'ass') }
    return assFile({ canvas, styles: [style], events: [event] })
  }
  const below = presetStyle({
    ...{ preset, colour: '雅黑' as const, canvas, typeface: original.typeface, name: 'Original' },
    scale: originalScale,
  })
  const events = bilingualEvents(
    {
      ...times,
      translation: lines,
      original: wrapText(original.text, lineLimit(below, canvas, original.typeface)),
    },
    { translation: style, original: below },
  )
  return assFile({ canvas, styles: [style, below], events })
}

/** Returns the typeface of a language on this machine. */
export async function typefaceHere(language: string): Promise<Typeface> {
  return await inFolder((scratch) => typefaceFor(language, { scratch }))
}

/** Draws subtitles over a picture; rows of 8-bit RGB. */
export async function burnPixels(
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

/** Converts RGB to opaque RGBA. */
export function rgbaOf(rgb: Uint8Array): Uint8Array {
  const rgba = new Uint8Array((rgb.length / 3) * 4).fill(255)
  for (let at = 0; at < rgb.length / 3; at += 1) rgba.set(rgb.subarray(3 * at, 3 * at + 3), 4 * at)
  return rgba
}

/**
 * Each of several files of a canvas burned on grey, in one run of ffmpeg: a picture a second, in their order.
 * Their styles and lines are one file's, so that fonts are opened once.
 */
export async function burnedOnGrey(
  { width, height }: Size,
  files: readonly string[],
  onPicture: (pixels: Uint8Array, index: number) => void,
): Promise<void> {
  const bytes = width * height * 3
  let [held, index]: [Buffer[], number] = [[], 0]
  const onOutput = (chunk: Buffer) => {
    let rest = chunk
    let have = held.reduce((sum, one) => sum + one.length, 0)
    while (have + rest.length >= bytes) {
      const missing = bytes - have
      onPicture(Buffer.concat([...held, rest.subarray(0, missing)]), index)
      index += 1
      rest = rest.subarray(missing)
      ;[held, have] = [[], 0]
    }
    held.push(rest)
  }
  await inFolder(async (folder) => {
    await writeFile(join(folder, 'all.ass'), concatenateEvents(files))
    await runRaw({
      args: [
        ...['-f', 'lavfi', '-i', `color=0x808080:s=${width}x${height}:r=1:d=${files.length},format=rgb24`],
        ...['-vf', 'ass=filename=all.ass', '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1'],
      ],
      ...{ cwd: folder, onOutput, timeoutMs: 120_000, signal: undefined },
    })
  })
}

/** Concatenates ASS files of one canvas: file n is shown from second n to n + 1. Style names get a prefix per file. */
function concatenateEvents(files: readonly string[]): string {
  const [first = ''] = files
  const part = (pattern: RegExp, change: (line: string, index: number) => string) =>
    files.flatMap((file, index) => (file.match(pattern) ?? []).map((line) => change(line, index)))
  const styles = part(/^Style: .*$/gm, (line, index) => line.replace('Style: ', `Style: ${index}-`))
  const events = part(/^Dialogue: .*$/gm, (line, index) => {
    const [layer, , , style, ...rest] = line.split(',')
    return [layer, assTime(1000 * index), assTime(1000 * (index + 1)), `${index}-${style}`, ...rest].join(',')
  })
  const head = first.split('\n').filter((line) => !/^(Style|Dialogue): /.test(line))
  return head
    .flatMap((line) => [
      line,
      ...(line.startsWith('Format: Name') ? styles : line.startsWith('Format: Layer') ? events : []),
    ])
    .join('\n')
}
