import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { assFile } from '../../media/subtitles/ass-file.ts'
import { newPicture } from '../ffmpeg/raster.ts'
import { burnFrame } from './burn.ts'

/** A text in a font, as libass is asked to draw it. */
export interface ProbeText {
  readonly text: string
  readonly family: string
  readonly bold: boolean
}

/** Fontsize of texts that are drawn to be measured. */
export const probeSize = 80

const row = 2 * probeSize
const width = 2000
const left = 100

/** Where fonts are measured: in a folder for what is drawn, until told to stop. */
export interface Probing {
  readonly scratch: string
  readonly signal?: AbortSignal
}

/** The width of the ink of each text as libass draws it, px at `probeSize`; 0 where it draws nothing. */
export async function drawnWidths(
  texts: readonly ProbeText[],
  { scratch, signal }: Probing,
): Promise<number[]> {
  const canvas = { width, height: texts.length * row }
  const ass = assFile({
    canvas,
    styles: texts.map(({ family, bold }, index) => ({ ...plain, family, bold, name: `probe${index}` })),
    events: texts.map(({ text }, index) => ({
      ...{ start: 0, end: 10_000, style: `probe${index}` },
      text: String.raw`{\an7\pos(${left},${index * row + probeSize / 4})}${text}`,
    })),
  })
  const folder = await mkdtemp(join(scratch, 'fonts-'))
  try {
    const picture = newPicture(canvas.width, canvas.height, [0, 0, 0])
    const pixels = await burnFrame(picture, { ass, folder, atMs: 1000, signal })
    return texts.map((_, index) =>
      inkWidth(pixels.subarray(index * row * width * 3, (index + 1) * row * width * 3)),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const nothing = { colour: '#000000', opacity: 0 }
const plain = {
  ...{ size: probeSize, em: probeSize, spacing: 0, fill: '#ffffff', edge: nothing, back: nothing },
  ...{ box: false, outline: 0, shadow: 0, marginX: 0, marginY: 0, lineWidth: width },
}

/** From the first to the last column with ink of half its strength. */
function inkWidth(pixels: Uint8Array): number {
  let [first, last] = [width, -1]
  for (let at = 0; at < pixels.length; at += 3) {
    if ((pixels[at] ?? 0) < 128) continue
    const column = (at / 3) % width
    first = Math.min(first, column)
    last = Math.max(last, column)
  }
  return Math.max(0, last - first + 1)
}
