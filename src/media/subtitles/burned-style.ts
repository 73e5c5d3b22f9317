import type { Bounds, Size } from '../geometry.ts'
import type { AssStyle } from './style-presets.ts'
import { fontSize, type Typeface } from './text-width.ts'

/** Design of burned-in subtitles for a shape of the picture. */
interface BurnedShape {
  /** Shares of the picture that stay free of letters, for controls of players and platforms. */
  readonly free: { readonly side: number; readonly bottom: number; readonly top: number }
  /** Full-width letters of a line. */
  readonly letters: number
  /** Largest em, as a share of the height. */
  readonly em: number
}

/** By the least ratio of width to height, widest first. */
const shapes: readonly (BurnedShape & { readonly ratio: number })[] = [
  { ratio: 1.3, free: { side: 0.08, bottom: 0.07, top: 0.06 }, letters: 20, em: 0.058 },
  { ratio: 0.8, free: { side: 0.06, bottom: 0.08, top: 0.06 }, letters: 16, em: 0.058 },
  { ratio: 0, free: { side: 0.08, bottom: 0.2, top: 0.06 }, letters: 13, em: 0.05 },
]

function shapeOf({ width, height }: Size): BurnedShape {
  const shape = shapes.find(({ ratio }) => width / height >= ratio) ?? shapes.at(-1)
  if (!shape) throw new TypeError('no shape is defined')
  return shape
}

/** Returns the area that contains all of the letters with their edges, in pixels. */
export function safeArea(canvas: Size): Bounds {
  const { free } = shapeOf(canvas)
  return {
    left: canvas.width * free.side,
    right: canvas.width * (1 - free.side),
    top: canvas.height * free.top,
    bottom: canvas.height * (1 - free.bottom),
  }
}

/** Edge and shadow in ems: legible on bright, dark and detailed pictures. */
const [outlineEms, shadowEms] = [0.1, 0.035]

/** Pixels that libass adds on each side when it rounds the edges of letters. */
const libassRounding = 2

interface BurnedStyleOptions {
  readonly name: string
  readonly canvas: Size
  readonly typeface: Typeface
  /** Size of the letters relative to the usual one. Default: 1. */
  readonly scale?: number
}

/** Colour of letters, and of highlighted words. */
export const burnedColours = { plain: '#ffffff', highlight: '#ffd84d' } as const

/** Returns the style of subtitles that are burned into a picture: bold, white, with a dark edge, above the free area. */
export function burnedStyle({ name, canvas, typeface, scale = 1 }: BurnedStyleOptions): AssStyle {
  const { free, letters, em: share } = shapeOf(canvas)
  const width = canvas.width * (1 - 2 * free.side)
  // The width of a line is a whole number of pixels without the edges of its letters.
  const room = width - 2 * libassRounding - 1
  const usual = Math.min(share * canvas.height, room / (letters + 2 * (outlineEms + shadowEms)))
  const em = Math.max(1, usual * scale)
  const [outline, shadow] = [em * outlineEms, em * shadowEms]
  const edge = outline + shadow + libassRounding
  return {
    ...{ name, family: typeface.family, bold: true, size: fontSize(typeface, em), em },
    ...{ fill: burnedColours.plain, spacing: 0, box: false, outline, shadow },
    ...{ edge: { colour: '#000000', opacity: 1 }, back: { colour: '#000000', opacity: 0.5 } },
    marginX: Math.ceil(canvas.width * free.side + edge),
    marginY: Math.ceil(canvas.height * free.bottom + edge),
    lineWidth: Math.max(em, Math.floor(width - 2 * edge)),
  }
}
