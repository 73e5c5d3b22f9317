import { letterStrokes } from './letter-strokes.ts'
import { mixPixel } from './raster.ts'
import type { RgbColour, RgbPicture } from './raster.ts'

/*
 * Draws digits and letters as strokes, because common ffmpeg builds do not include drawtext, which also
 * requires an installed font. Units: the height of a digit is 1, y grows downward, angles are clockwise
 * degrees from the right.
 */

type GlyphPoint = readonly [x: number, y: number]
type Stroke = readonly GlyphPoint[]

interface Arc {
  readonly centre: GlyphPoint
  readonly radii: GlyphPoint
  readonly from: number
  readonly to: number
}

const degreesPerStep = 15

function arc({ centre, radii, from, to }: Arc): GlyphPoint[] {
  const steps = Math.ceil((to - from) / degreesPerStep)
  return Array.from({ length: steps + 1 }, (_, step) => {
    const angle = ((from + ((to - from) * step) / steps) * Math.PI) / 180
    return [centre[0] + radii[0] * Math.cos(angle), centre[1] + radii[1] * Math.sin(angle)] as const
  })
}

const ring = (centre: GlyphPoint, radii: GlyphPoint): Stroke => arc({ centre, radii, from: 0, to: 360 })

const six: readonly Stroke[] = [
  ring([0.3, 0.69], [0.29, 0.31]),
  [
    [0.44, 0],
    [0.3, 0.15],
    [0.17, 0.33],
    [0.06, 0.52],
    [0.01, 0.69],
  ],
]

const digitWidth = 0.6

const blankWidth = 0.25

const glyphs: Readonly<Record<string, { readonly width: number; readonly strokes: readonly Stroke[] }>> = {
  0: { width: digitWidth, strokes: [ring([0.3, 0.5], [0.29, 0.5])] },
  1: {
    width: digitWidth,
    strokes: [
      [
        [0.1, 0.2],
        [0.36, 0],
        [0.36, 1],
      ],
    ],
  },
  2: {
    width: digitWidth,
    strokes: [
      [...arc({ centre: [0.3, 0.28], radii: [0.28, 0.28], from: 190, to: 395 }), [0.02, 1], [0.6, 1]],
    ],
  },
  3: {
    width: digitWidth,
    strokes: [
      arc({ centre: [0.28, 0.25], radii: [0.26, 0.25], from: 205, to: 450 }),
      arc({ centre: [0.28, 0.74], radii: [0.3, 0.26], from: 270, to: 520 }),
    ],
  },
  4: {
    width: digitWidth,
    strokes: [
      [
        [0.45, 1],
        [0.45, 0],
        [0, 0.7],
        [0.62, 0.7],
      ],
    ],
  },
  5: {
    width: digitWidth,
    strokes: [
      [
        [0.54, 0],
        [0.1, 0],
        [0.06, 0.45],
        ...arc({ centre: [0.28, 0.67], radii: [0.31, 0.33], from: 225, to: 515 }),
      ],
    ],
  },
  6: { width: digitWidth, strokes: six },
  7: {
    width: digitWidth,
    strokes: [
      [
        [0, 0],
        [0.6, 0],
        [0.2, 1],
      ],
    ],
  },
  8: {
    width: digitWidth,
    strokes: [ring([0.3, 0.24], [0.25, 0.24]), ring([0.3, 0.74], [0.3, 0.26])],
  },
  9: {
    width: digitWidth,
    strokes: six.map((stroke) => stroke.map(([x, y]) => [digitWidth - x, 1 - y] as const)),
  },
  ':': { width: 0.06, strokes: [[[0.03, 0.28]], [[0.03, 0.82]]] },
  '.': { width: 0.06, strokes: [[[0.03, 0.98]]] },
  ...Object.fromEntries(Object.entries(letterStrokes).map(([letter, text]) => [letter, readStrokes(text)])),
}

function readStrokes(text: string): { width: number; strokes: readonly Stroke[] } {
  const strokes = text
    .split(' ')
    .map((stroke) =>
      [...stroke.matchAll(/(.)(.)/g)].map(([, x = '0', y = '0']): GlyphPoint => [
        Number.parseInt(x, 16) / 10,
        Number.parseInt(y, 16) / 10,
      ]),
    )
  const points = strokes.flat()
  return { width: points.length === 0 ? blankWidth : Math.max(...points.map(([x]) => x)), strokes }
}

/** Returns whether every character of a text can be drawn. */
export function isDrawable(text: string): boolean {
  return [...text].every((letter) => Object.hasOwn(glyphs, letter))
}

const spacing = 0.24
const strokeRadius = 0.068

/** A line of digits, Latin letters and some punctuation. */
export interface TextLine {
  readonly text: string
  /** Left edge and top of the digits, pixels. */
  readonly x: number
  readonly y: number
  /** Height of a digit, pixels. */
  readonly height: number
}

/** Returns the width of a line, pixels. */
export function textWidth(text: string, height: number): number {
  const widths = [...text].map((letter) => glyphs[letter]?.width ?? 0)
  return (widths.reduce((sum, width) => sum + width + spacing, 0) - spacing) * height
}

/** Draws a line of text with smooth edges. */
export function drawTextLine(picture: RgbPicture, { text, x, y, height }: TextLine, colour: RgbColour): void {
  let left = x
  for (const letter of text) {
    const glyph = glyphs[letter]
    if (!glyph) continue
    const strokes = glyph.strokes.map((stroke) =>
      stroke.map(([px, py]) => [left + px * height, y + py * height] as const),
    )
    drawStrokes(picture, { strokes, radius: strokeRadius * height }, colour)
    left += (glyph.width + spacing) * height
  }
}

function drawStrokes(
  picture: RgbPicture,
  { strokes, radius }: { strokes: readonly Stroke[]; radius: number },
  colour: RgbColour,
): void {
  const points = strokes.flat()
  const xs = points.map(([x]) => x)
  const ys = points.map(([, y]) => y)
  for (let row = Math.floor(Math.min(...ys) - radius - 1); row <= Math.max(...ys) + radius + 1; row++) {
    for (
      let column = Math.floor(Math.min(...xs) - radius - 1);
      column <= Math.max(...xs) + radius + 1;
      column++
    ) {
      const centre: GlyphPoint = [column + 0.5, row + 0.5]
      const distance = Math.min(...strokes.map((stroke) => distanceTo(stroke, centre)))
      const share = Math.min(1, Math.max(0, radius + 0.5 - distance))
      if (share > 0) mixPixel(picture, { x: column, y: row, share }, colour)
    }
  }
}

/** Returns the shortest distance from a point to a stroke. */
function distanceTo(stroke: Stroke, [px, py]: GlyphPoint): number {
  let shortest = Infinity
  for (const [index, [ax, ay]] of stroke.entries()) {
    const [bx, by] = stroke[index + 1] ?? [ax, ay]
    const length = (bx - ax) ** 2 + (by - ay) ** 2
    const along =
      length === 0 ? 0 : Math.min(1, Math.max(0, ((px - ax) * (bx - ax) + (py - ay) * (by - ay)) / length))
    shortest = Math.min(shortest, Math.hypot(px - ax - along * (bx - ax), py - ay - along * (by - ay)))
  }
  return shortest
}
