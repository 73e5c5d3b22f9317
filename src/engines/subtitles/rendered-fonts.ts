import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { assFile } from '../../media/subtitles/ass-file.ts'
import type { Drawing, Pen } from '../canvas/drawing.ts'
import { newPicture } from '../ffmpeg/raster.ts'
import { burnFrame } from './burn.ts'

/**
 * Texts whose widths distinguish fonts, by kinds of letters that may come from different fonts. They are long enough for
 * the rounding to pixels to be negligible.
 */
const probes = {
  alphabet: ['HamburgefonstivRegenbogen', 'MWiljquartzWMWlijquartz', 'ПриветМирПрощайЛето'],
  eastAsian: ['漢字国語漢字国語漢字国語', 'ひらカナひらカナひらカナ'],
  hangul: ['한국어글한국어글한국어글', '나는바다나는바다나는바다'],
} as const
/** Two texts that differ by ten spaces. */
const spaceProbes = ['nnnnnnnnnnn', 'n n n n n n n n n n n'] as const

/** A kind of letters that may come from a font of its own. */
export type LetterKind = keyof typeof probes
const letterKinds = ['alphabet', 'eastAsian', 'hangul'] as const

/** The family that letters of a kind are drawn from, and the pixels of its em at Fontsize 1. */
interface RenderedFont {
  readonly family: string
  readonly ratio: number
}

/** Fonts by kind of letters; undefined if no font of this machine has the width of the drawn text. */
export type RenderedFonts = Readonly<
  Record<LetterKind, { readonly plain: RenderedFont | undefined; readonly bold: RenderedFont | undefined }>
> & {
  /** Width of a space at `probeSize`, in pixels. */
  readonly space: { readonly plain: number; readonly bold: number }
}

const knownFonts = new Map<string, Promise<RenderedFonts>>()

/**
 * Returns the fonts that libass draws a family with. Measured once in a process, with the scratch folder and signal of
 * the first call: a worker runs one task at a time.
 */
export function renderedFonts(
  drawing: Drawing,
  family: string,
  probing: FontProbeOptions,
): Promise<RenderedFonts> {
  const found = knownFonts.get(family)
  if (found) return found
  const drawn = measureRenderedFonts(drawing, family, probing)
  knownFonts.set(family, drawn)
  drawn.catch(() => knownFonts.delete(family))
  return drawn
}

async function measureRenderedFonts(
  drawing: Drawing,
  family: string,
  probing: FontProbeOptions,
): Promise<RenderedFonts> {
  const texts = letterKinds.flatMap((kind) =>
    [false, true].flatMap((bold) => probes[kind].map((text) => ({ kind, text, family, bold }))),
  )
  const spaced = [false, true].flatMap((bold) => spaceProbes.map((text) => ({ text, family, bold })))
  const widths = await renderedWidths([...texts, ...spaced], probing)
  const [close = 0, apart = 0, boldClose = 0, boldApart = 0] = widths.slice(texts.length)
  const pen = measuringPen(drawing)
  // Letters that the family does not have come from another font of this machine.
  const candidates = [family, ...drawing.GlobalFonts.families.map((one) => one.family)]
  const drawn = (letters: LetterKind, isBold: boolean) => {
    const drawnHere = texts.map((text, index) => ({ ...text, width: widths[index] ?? 0 }))
    const of = drawnHere.filter(({ kind, bold }) => kind === letters && bold === isBold)
    // One after the other: each is a file to open, and a machine may have a thousand.
    for (const candidate of candidates) {
      const found = matchFamily(pen, candidate, of)
      if (found) return found
    }
    return undefined
  }
  const space = { plain: (apart - close) / 10, bold: (boldApart - boldClose) / 10 }
  const both = (kind: LetterKind) => ({ plain: drawn(kind, false), bold: drawn(kind, true) })
  return { alphabet: both('alphabet'), eastAsian: both('eastAsian'), hangul: both('hangul'), space }
}

/** Returns a family if all drawn texts have the same ratio to its own widths, within 3 %. */
function matchFamily(
  pen: Pen,
  family: string,
  texts: readonly { readonly text: string; readonly bold: boolean; readonly width: number }[],
): RenderedFont | undefined {
  const ratios = texts.map(({ text, bold, width }) => {
    setProbeFont(pen, family, bold)
    const { actualBoundingBoxLeft: left, actualBoundingBoxRight: right } = pen.measureText(text)
    return width / (left + right)
  })
  const [least, ratio] = [Math.min(...ratios), Math.max(...ratios)]
  return least > 0.4 && ratio < 1.3 && ratio / least < 1.03 ? { family, ratio } : undefined
}

/** Creates the canvas context that measures texts of one line. */
export function measuringPen({ createCanvas }: Drawing): Pen {
  const pen = createCanvas(1, 1).getContext('2d')
  // libass applies kerning only on request.
  pen.fontKerning = 'none'
  return pen
}

/** Sets the font of a pen to a family at `probeSize`. */
export function setProbeFont(pen: Pen, family: string, bold: boolean): void {
  pen.font = `${bold ? 700 : 400} ${probeSize}px "${family}"`
}

/** A text that libass draws in a font to measure it. */
interface ProbeText {
  readonly text: string
  readonly family: string
  readonly bold: boolean
}

/** Fontsize of measured texts. */
export const probeSize = 80

const rowHeight = 2 * probeSize
const probeWidth = 2000
const leftMargin = 100

/** Scratch folder and abort signal of font measurements. */
export interface FontProbeOptions {
  readonly scratch: string
  readonly signal?: AbortSignal
}

/** Returns the width of each text as libass draws it at `probeSize`, in pixels; 0 if it draws nothing. */
async function renderedWidths(
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

/**
 * Returns the number of columns from the first to the last pixel of at least half intensity. pixels: rows of 8-bit RGB.
 */
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
