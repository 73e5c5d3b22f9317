import type { Pen } from '../../src/engines/canvas/drawing.ts'
import {
  oklabChroma,
  oklabFromHex,
  oklabFromHue,
  oklabHue,
  mixOklab,
  oklabToRgb,
  type Oklab,
  type Rgb,
} from '../../src/media/colour/oklab.ts'

/** Oklab chroma below which a colour counts as grey, without a hue. */
const greyChroma = 0.04

/** Background hue for grey colours: night blue, radians. */
const nightHue = 4.72

/** Steps of a gradient mixed in Oklab; the drawing library mixes between steps in sRGB. */
const gradientSteps = 4

/** Colours of one result: of the spectrum and of the built-in background. */
export class Palette {
  readonly #from: Oklab
  readonly #to: Oklab

  constructor({ c1, c2 }: { readonly c1: string; readonly c2?: string | undefined }) {
    this.#from = oklabFromHex(c1)
    this.#to = oklabFromHex(c2 ?? c1)
  }

  /** Returns the spectrum's colour at a position, 0 to 1, as CSS. alpha: 0 to 1. */
  css(position: number, alpha = 1): string {
    return cssColour(mixOklab(this.#from, this.#to, Math.min(1, Math.max(0, position))), alpha)
  }

  /** Creates a gradient of the spectrum's colours along a line in px. */
  gradient(pen: Pen, [x0, y0, x1, y1]: readonly [number, number, number, number], alpha = 1): CanvasGradient {
    const gradient = pen.createLinearGradient(x0, y0, x1, y1)
    for (let step = 0; step <= gradientSteps; step += 1)
      gradient.addColorStop(step / gradientSteps, this.css(step / gradientSteps, alpha))
    return gradient
  }

  /** Colours of the built-in background: its ground and two lights. */
  get background(): { readonly base: Rgb; readonly lights: readonly [Rgb, Rgb] } {
    const [first, second] = [this.#from, this.#to].map((colour) =>
      oklabChroma(colour) < greyChroma ? nightHue : cleanDarkHue(oklabHue(colour)),
    ) as [number, number]
    // Two lights of the same hue look like one, so the second hue is moved away from yellow.
    const same = 1 - Math.cos(first - second) < 0.05
    const other = same ? second + 0.7 * awayFromYellow(second) : second
    return {
      base: oklabToRgb(oklabFromHue({ l: 0.155, chroma: 0.025, hue: first })),
      lights: [lightColour(0.37, 0.1, first), lightColour(0.31, 0.085, other)],
    }
  }
}

/** Hue of yellow, radians; dark yellow looks brown or olive. */
const yellowHue = 1.85

/** Closeness of a hue to yellow, 0 to 1, and the sign of the direction away from it. */
const yellowNearness = (hue: number) => Math.max(0, Math.cos(hue - yellowHue))
const awayFromYellow = (hue: number) => (Math.sin(hue - yellowHue) > 0 ? 1 : -1)

/** Moves a hue away from yellow, for dark colours without brown: yellow becomes rose, lime becomes teal. */
function cleanDarkHue(hue: number): number {
  return hue + 0.95 * yellowNearness(hue) * awayFromYellow(hue)
}

function lightColour(l: number, chroma: number, hue: number): Rgb {
  return oklabToRgb(oklabFromHue({ l, chroma: chroma * (1 - 0.45 * yellowNearness(hue)), hue }))
}

type CanvasGradient = ReturnType<Pen['createLinearGradient']>

function cssColour(colour: Oklab, alpha: number): string {
  const [red, green, blue] = oklabToRgb(colour).map(Math.round)
  return `rgba(${red},${green},${blue},${alpha.toFixed(3)})`
}
