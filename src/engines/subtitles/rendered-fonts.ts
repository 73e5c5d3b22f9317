import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { assFile } from '../../media/subtitles/ass-file.ts'
import type { Drawing, Pen } from '../canvas/load.ts'
import { newPicture } from '../ffmpeg/raster.ts'
import { burnFrame } from './burn.ts'

/**
 * Kinds of letters that may come from different fonts, with texts that tell one font from another, long enough that
 * the edges of pixels do not count.
 */
const probes = {
  alphabet: ['HamburgefonstivRegenbogen', 'MWiljquartzWMWlijquartz', 'ПриветМирПрощайЛето'],
  eastAsian: ['漢字国語漢字国語漢字国語', 'ひらカナひらカナひらカナ'],
  hangul: ['한국어글한국어글한국어글', '나는바다나는바다나는바다'],
} as const
/** Two texts apart by ten spaces, which come from the family itself where it has them. */
const spaceProbes = ['nnnnnnnnnnn', 'n n n n n n n n n n n'] as const

/** Kinds of letters that may come from different fonts. */
export type LetterKind = keyof typeof probes
const letterKinds = ['alphabet', 'eastAsian', 'hangul'] as const

/** How letters of a kind are drawn: the family they come from, and px of their em at Fontsize 1. */
interface RenderedFont {
  readonly family: string
  readonly ratio: number
}

/** By kind of letters; undefined where no font here is as wide as what is drawn. */
export type RenderedFonts = Readonly<
  Record<LetterKind, { readonly plain: RenderedFont | undefined; readonly bold: RenderedFont | undefined }>
> & {
  /** Px of a space at `probeSize`. */
  readonly space: { readonly plain: number; readonly bold: number }
}

const knownFonts = new Map<string, Promise<RenderedFonts>>()

/**
 * How a family is drawn; measured once in a process, by the scratch folder and the signal of who asks first: that is
 * one task, as a worker does one at a time.
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
  // Letters that the family lacks come from another of this machine.
  const candidates = [family, ...drawing.GlobalFonts.families.map((one) => one.family)]
  const drawn = (wanted: LetterKind, isBold: boolean) => {
    const drawnHere = texts.map((text, index) => ({ ...text, width: widths[index] ?? 0 }))
    const of = drawnHere.filter(({ kind, bold }) => kind === wanted && bold === isBold)
    // One by one: each is a file to be opened, and a machine may have a thousand.
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

/** A family, where all texts drawn are as much larger or smaller than its own; edges of pixels aside. */
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

/** What measures texts of one line. */
export function measuringPen({ createCanvas }: Drawing): Pen {
  const pen = createCanvas(1, 1).getContext('2d')
  // libass kerns only where a file asks for it.
  pen.fontKerning = 'none'
  return pen
}

/** Sets a pen to a family at `probeSize`. */
export function setProbeFont(pen: Pen, family: string, bold: boolean): void {
  pen.font = `${bold ? 700 : 400} ${probeSize}px "${family}"`
}

/** A text in a font, as libass is asked to draw it. */
interface ProbeText {
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
