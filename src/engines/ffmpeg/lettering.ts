import type { Rect } from '../../media/geometry.ts'
import { mixPixel, type RgbColour, type RgbPicture } from './raster.ts'

/*
 * Draws digits and letters as strokes, because common ffmpeg builds do not include drawtext, which also
 * requires an installed font. Units: the height of a digit is 1, y grows downward, angles are clockwise
 * degrees from the right.
 */

/** Returns whether every character of a text can be drawn. */
export function isDrawable(text: string): boolean {
  return [...text].every((letter) => Object.hasOwn(glyphs, letter))
}

/** Gap between characters and half the thickness of a stroke, in heights of a digit. */
const spacing = 0.24
const strokeRadius = 0.068

/** A line of digits, Latin letters and some punctuation. */
interface TextLine {
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

/** Draws a line of text with smooth edges. Skips characters that have no strokes. */
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

/*
 * Letters as strokes; the digits are in `glyphs`. Each point is two hexadecimal digits, x and y in tenths of
 * the height of a digit, with y downward. A space starts the next stroke. Lower-case letters start at y = 3,
 * and their descenders end at d.
 */

/** Strokes by letter. */
const letterStrokes: Readonly<Record<string, string>> = {
  ...{ A: '0a306a 1656', B: '0a004051544505 4556594a0a', C: '62502003072a5a68', D: '000a3a67633000' },
  ...{ E: '60000a6a 0545', F: '60000a 0545', G: '62502003072a4a696535', H: '000a 606a 0565' },
  ...{ I: '303a 1050 1a5a', J: '60674a2a08', K: '000a 6006 246a', L: '000a6a', M: '0a0035606a' },
  ...{ N: '0a006a60', O: '204063674a2a070320', P: '0a004051554606', Q: '204063674a2a070320 376b' },
  ...{ R: '0a004051554606 266a', S: '614010021456685a1a09', T: '0060 303a', U: '00072a4a6760' },
  ...{ V: '003a60', W: '001a345a60', X: '006a 600a', Y: '003560 353a', Z: '00600a6a' },
  ...{ a: '535a 54331305081a3a59', b: '000a 04234355584a2a09', c: '54331305081a3a59' },
  ...{ d: '505a 54331305081a3a59', e: '065655431305081a4a59', f: '5030212a 0343' },
  ...{ g: '535b4d1d0c 54331305081a3a59', h: '000a 042343555a', i: '131a 10', j: '333b2d0d 30' },
  ...{ k: '000a 5307 265a', l: '10192a', m: '030a 0423343a 3453646a', n: '030a 042343555a' },
  ...{ o: '134355584a1a080513', p: '030d 04234355584a2a09', q: '535d 54331305081a3a59', r: '030a 052343' },
  ...{ s: '544313041647584a1a09', t: '20293a4a 0343', u: '03081a3a59 535a', v: '032a43' },
  ...{ w: '031a355a63', x: '035a 530a', y: '033a 531d', z: '03530a5a' },
  ...{ '-': '0646', _: '0b6b', '#': '211a 514a 0464 0767', '/': '600a', '+': '3339 0666', ',': '190c' },
  ...{ '(': '2003072a', ')': '0023270a', '=': '0454 0757', ' ': '' },
}

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

interface StrokeShape {
  readonly strokes: readonly Stroke[]
  /** Half the thickness of a stroke, pixels. */
  readonly radius: number
}

/** Draws strokes with smooth edges. A picture of regions has thousands of letters: the work follows their length. */
function drawStrokes(picture: RgbPicture, { strokes, radius }: StrokeShape, colour: RgbColour): void {
  const points = strokes.flat()
  const area = coveredArea(points, radius)
  // Opacity of each pixel, 0 to 1.
  const shares = new Float64Array(area.width * area.height)
  for (const stroke of strokes) {
    for (const [index, from] of stroke.entries()) {
      const to = stroke[index + 1] ?? (stroke.length === 1 ? from : undefined)
      if (to) coverSegment({ area, shares, radius }, from, to)
    }
  }
  for (const [index, share] of shares.entries()) {
    if (share === 0) continue
    const at = { x: area.x + (index % area.width), y: area.y + Math.floor(index / area.width), share }
    mixPixel(picture, at, colour)
  }
}

/** The pixels that a line between points can touch. */
function coveredArea(points: readonly GlyphPoint[], radius: number): Rect {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [x, y] of points) {
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  if (left > right) return { x: 0, y: 0, width: 0, height: 0 }
  const [x, y] = [Math.floor(left - radius - 1), Math.floor(top - radius - 1)]
  return { x, y, width: Math.ceil(right + radius + 1) - x, height: Math.ceil(bottom + radius + 1) - y }
}

interface Coverage {
  readonly area: Rect
  readonly shares: Float64Array
  readonly radius: number
}

/** Raises the opacity of the pixels near a line to what their distance gives. */
function coverSegment({ area, shares, radius }: Coverage, [ax, ay]: GlyphPoint, [bx, by]: GlyphPoint): void {
  const near = coveredArea(
    [
      [ax, ay],
      [bx, by],
    ],
    radius,
  )
  const [dx, dy] = [bx - ax, by - ay]
  const length = dx ** 2 + dy ** 2
  for (let row = near.y; row < near.y + near.height; row++) {
    for (let column = near.x; column < near.x + near.width; column++) {
      const [px, py] = [column + 0.5 - ax, row + 0.5 - ay]
      const along = length === 0 ? 0 : Math.min(1, Math.max(0, (px * dx + py * dy) / length))
      const distance = Math.sqrt((px - along * dx) ** 2 + (py - along * dy) ** 2)
      const share = Math.min(1, radius + 0.5 - distance)
      const at = (row - area.y) * area.width + column - area.x
      if (share > (shares[at] ?? 1)) shares[at] = share
    }
  }
}
