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

const rowHeight = 2 * probeSize
const probeWidth = 2000
const leftMargin = 100

/** Where fonts are measured: in a folder for what is drawn, until told to stop. */
export interface FontProbeOptions {
  readonly scratch: string
  readonly signal?: AbortSignal
}

/** The width of the ink of each text as libass draws it, px at `probeSize`; 0 where it draws nothing. */
export async function renderedWidths(
  texts: readonly ProbeText[],
  { scratch, signal }: FontProbeOptions,
): Promise<number[]> {
  const canvas = { width: probeWidth, height: texts.length * rowHeight }
  const ass = assFile({
    canvas,
    styles: texts.map(({ family, bold }, index) => ({ ...probeStyle, family, bold, name: `probe${index}` })),
    events: texts.map(({ text }, index) => ({
      ...{ start: 0, end: 10_000, style: `probe${index}` },
      text: String.raw`{\an7\pos(${leftMargin},${index * rowHeight + probeSize / 4})}${text}`,
    })),
  })
  const folder = await mkdtemp(join(scratch, 'fonts-'))
  try {
    const picture = newPicture(canvas.width, canvas.height, [0, 0, 0])
    const pixels = await burnFrame(picture, { ass, folder, atMs: 1000, signal })
    return texts.map((_, index) =>
      inkWidth(pixels.subarray(index * rowHeight * probeWidth * 3, (index + 1) * rowHeight * probeWidth * 3)),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const transparent = { colour: '#000000', opacity: 0 }
const probeStyle = {
  ...{ size: probeSize, em: probeSize, spacing: 0, fill: '#ffffff', edge: transparent, back: transparent },
  ...{ box: false, outline: 0, shadow: 0, marginX: 0, marginY: 0, lineWidth: probeWidth },
}

/** From the first to the last column with ink of half its strength. */
function inkWidth(pixels: Uint8Array): number {
  let [first, last] = [probeWidth, -1]
  for (let at = 0; at < pixels.length; at += 3) {
    if ((pixels[at] ?? 0) < 128) continue
    const column = (at / 3) % probeWidth
    first = Math.min(first, column)
    last = Math.max(last, column)
  }
  return Math.max(0, last - first + 1)
}
