import type { Rational } from '../../contract/media-facts.ts'

/** Parses ffprobe's "30000/1001" or "16:9"; undefined when absent, zero or not a ratio. */
export function parseRatio(text: string | undefined): Rational | undefined {
  const [, num, den] = /^(\d{1,10})[/:](\d{1,10})$/.exec(text ?? '') ?? []
  const ratio = { num: Number(num), den: Number(den) }
  return ratio.num > 0 && ratio.den > 0 ? ratio : undefined
}

/**
 * Clockwise turn for display, from the counter-clockwise degrees of a display matrix. As ffmpeg's
 * own automatic rotation, only within one degree of a quarter turn: at any other angle the picture
 * keeps its sides. A mirrored picture keeps them too, so mirroring is not told.
 */
export function quarterTurn(counterClockwise: number | undefined): 0 | 90 | 180 | 270 {
  // A matrix of zeros has no angle; ffprobe prints the smallest 64-bit integer then.
  if (counterClockwise === undefined || !(Math.abs(counterClockwise) <= 360)) return 0
  const clockwise = (720 - counterClockwise) % 360
  return ([90, 180, 270] as const).find((turn) => Math.abs(clockwise - turn) < 1) ?? 0
}

/** Sample aspect ratios beyond this, either way, are damage; the most extreme real ones are about 2. */
const maxStretch = 10

/** The sample aspect ratio to use: square samples when absent or absurd. */
export function sampleRatio(text: string | undefined): Rational {
  const ratio = parseRatio(text)
  const stretch = ratio ? ratio.num / ratio.den : 0
  return ratio && stretch <= maxStretch && stretch >= 1 / maxStretch ? ratio : { num: 1, den: 1 }
}

/** Sides as people see them: the width stretched by the sample aspect ratio, then turned. */
export function displaySize(coded: {
  width: number
  height: number
  ratio: Rational
  rotation: 0 | 90 | 180 | 270
}): { width: number; height: number } {
  const stretched = Math.max(1, Math.round((coded.width * coded.ratio.num) / coded.ratio.den))
  return coded.rotation % 180 === 0
    ? { width: stretched, height: coded.height }
    : { width: coded.height, height: stretched }
}
