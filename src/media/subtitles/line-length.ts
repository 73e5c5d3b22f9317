import type { Size } from '../geometry.ts'

/** Full-width letters per line, for pictures of 9:16 and of 16:9 (contract 3, 4.8). */
const lineWidth = { tall: 13, wide: 20 } as const

/** Returns the full-width letters of a subtitle line, interpolated by the logarithm of the picture's aspect ratio. */
export function lettersPerLine({ width, height }: Size): number {
  const share = 0.5 + Math.log(width / height) / (2 * Math.log(16 / 9))
  return Math.max(
    lineWidth.tall / 2,
    Math.min(1.5 * lineWidth.wide, lineWidth.tall + share * (lineWidth.wide - lineWidth.tall)),
  )
}
