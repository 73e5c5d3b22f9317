import type { Pen } from '../../src/engines/canvas/load.ts'
import {
  oklabChroma,
  fromHex,
  fromHue,
  oklabHue,
  mixOklab,
  toRgb,
  type Oklab,
  type Rgb,
} from '../../src/media/colour/oklab.ts'

/** Below this strength a colour is as good as grey and has no hue of its own. */
const greyChroma = 0.04

/** Hue of what lies behind grey music: night blue, radians. */
const nightHue = 4.72

/** Steps of a gradient between two colours: browsers and libraries mix in between by another rule. */
const gradientSteps = 4

/** The colours of one result: those of the spectrum, and those of the gradient behind it. */
export class Palette {
  readonly #from: Oklab
  readonly #to: Oklab

  constructor({ c1, c2 }: { readonly c1: string; readonly c2?: string | undefined }) {
    this.#from = fromHex(c1)
    this.#to = fromHex(c2 ?? c1)
  }

  /** The spectrum's colour at a place from 0 to 1, for the pen. */
  css(place: number, alpha = 1): string {
    return cssColour(mixOklab(this.#from, this.#to, Math.min(1, Math.max(0, place))), alpha)
  }

  /** The spectrum's colours along a line, for the pen. */
  gradient(pen: Pen, [x0, y0, x1, y1]: readonly [number, number, number, number], alpha = 1): CanvasGradient {
    const gradient = pen.createLinearGradient(x0, y0, x1, y1)
    for (let step = 0; step <= gradientSteps; step += 1)
      gradient.addColorStop(step / gradientSteps, this.css(step / gradientSteps, alpha))
    return gradient
  }

  /** What the gradient is made of: its ground, and two lights upon it. */
  get background(): { readonly base: Rgb; readonly lights: readonly [Rgb, Rgb] } {
    const [first, second] = [this.#from, this.#to].map((colour) =>
      oklabChroma(colour) < greyChroma ? nightHue : cleanDarkHue(oklabHue(colour)),
    ) as [number, number]
    // Two lights of one hue would be one: the other goes on, away from yellow.
    const same = 1 - Math.cos(first - second) < 0.05
    const other = same ? second + 0.7 * awayFromYellow(second) : second
    return {
      base: toRgb(fromHue({ l: 0.155, chroma: 0.025, hue: first })),
      lights: [lightColour(0.37, 0.1, first), lightColour(0.31, 0.085, other)],
    }
  }
}

/** Hue of yellow, radians: dark, it is brown and olive. */
const yellowHue = 1.85

/** How near a hue is to yellow, 0 to 1; and the way that leads from it. */
const yellowNearness = (hue: number) => Math.max(0, Math.cos(hue - yellowHue))
const awayFromYellow = (hue: number) => (Math.sin(hue - yellowHue) > 0 ? 1 : -1)

/** A hue that is clean when it is dark: yellow turns to rose, lime to teal. */
function cleanDarkHue(hue: number): number {
  return hue + 0.95 * yellowNearness(hue) * awayFromYellow(hue)
}

function lightColour(l: number, chroma: number, hue: number): Rgb {
  return toRgb(fromHue({ l, chroma: chroma * (1 - 0.45 * yellowNearness(hue)), hue }))
}

type CanvasGradient = ReturnType<Pen['createLinearGradient']>

function cssColour(colour: Oklab, alpha: number): string {
  const [red, green, blue] = toRgb(colour).map(Math.round)
  return `rgba(${red},${green},${blue},${alpha.toFixed(3)})`
}
