/** A colour in OKLab (Ottosson 2020), a perceptually uniform space: lightness l, 0 to 1, colour axes a and b. */
export interface Oklab {
  readonly l: number
  readonly a: number
  readonly b: number
}

/** sRGB red, green and blue, each 0 to 255, not rounded. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** Parses an sRGB colour, #RRGGBB. */
export function oklabFromHex(hex: string): Oklab {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    srgbToLinear(Number.parseInt(hex.slice(at, at + 2), 16) / 255),
  )
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  return {
    l: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    a: 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    b: 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  }
}

/** Converts a colour to sRGB. Channels outside 0 to 255 are clipped. */
export function oklabToRgb({ l, a, b }: Oklab): Rgb {
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const middle = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    linearToSrgb(4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short),
    linearToSrgb(-1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short),
    linearToSrgb(-0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short),
  ]
}

/** Interpolates linearly in OKLab. share: 0 returns `one`, 1 returns `other`. */
export function mixOklab(one: Oklab, other: Oklab, share: number): Oklab {
  return {
    l: one.l + (other.l - one.l) * share,
    a: one.a + (other.a - one.a) * share,
    b: one.b + (other.b - one.b) * share,
  }
}

/** Returns the chroma: 0 for grey, up to about 0.3 in sRGB. */
export function oklabChroma({ a, b }: Oklab): number {
  return Math.hypot(a, b)
}

/** Returns the hue angle, radians, -π to π. */
export function oklabHue({ a, b }: Oklab): number {
  return Math.atan2(b, a)
}

/** Returns the colour with a lightness (0 to 1), a chroma and a hue (radians). */
export function oklabFromHue({ l, chroma, hue }: { l: number; chroma: number; hue: number }): Oklab {
  return { l, a: chroma * Math.cos(hue), b: chroma * Math.sin(hue) }
}

/** Converts an sRGB channel to linear light, both 0 to 1 (IEC 61966-2-1). */
function srgbToLinear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}

/** Converts linear light, clipped to 0 to 1, to an sRGB channel, 0 to 255 (IEC 61966-2-1). */
function linearToSrgb(value: number): number {
  const clipped = Math.min(1, Math.max(0, value))
  return 255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055)
}
