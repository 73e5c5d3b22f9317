import type { Rational } from '../../contract/media-facts.ts'

/** Parses ffprobe's "30000/1001" or "16:9". Returns undefined if absent, zero or not a ratio. */
export function parseRatio(text: string | undefined): Rational | undefined {
  const [, num, den] = /^(\d{1,10})[/:](\d{1,10})$/.exec(text ?? '') ?? []
  const ratio = { num: Number(num), den: Number(den) }
  return ratio.num > 0 && ratio.den > 0 ? ratio : undefined
}

/**
 * Converts the counter-clockwise degrees of a display matrix to a clockwise quarter turn for display. Like
 * ffmpeg's automatic rotation, it accepts angles within one degree of a quarter turn and returns 0 for any
 * other. A mirrored picture keeps its sides, so mirroring is ignored.
 */
export function quarterTurn(counterClockwise: number | undefined): 0 | 90 | 180 | 270 {
  // A matrix of zeros has no angle. ffprobe then prints the smallest 64-bit integer.
  if (counterClockwise === undefined || !(Math.abs(counterClockwise) <= 360)) return 0
  const clockwise = (720 - counterClockwise) % 360
  return ([90, 180, 270] as const).find((turn) => Math.abs(clockwise - turn) < 1) ?? 0
}

/** Largest plausible sample aspect ratio, in either direction. The most extreme real ones are about 2. */
const maxStretch = 10

/** Returns the sample aspect ratio, or 1:1 if it is absent or implausible. */
export function sampleRatio(text: string | undefined): Rational {
  const ratio = parseRatio(text)
  const stretch = ratio ? ratio.num / ratio.den : 0
  return ratio && stretch <= maxStretch && stretch >= 1 / maxStretch ? ratio : { num: 1, den: 1 }
}

/** Returns the display size in pixels: the width multiplied by the sample aspect ratio, then rotated. */
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
