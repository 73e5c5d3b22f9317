import { decodePngs } from '../../src/engines/ffmpeg/decode-pngs.ts'
import { drawSheet } from '../../src/engines/ffmpeg/draw-sheet.ts'
import { layOutSheet, type SheetLayout } from '../../src/engines/ffmpeg/sheet-layout.ts'
import { encodePng } from '../../src/platform/png.ts'
import type { Size } from '../../src/media/geometry.ts'

interface Timing {
  readonly fps: number
  /** In seconds. */
  readonly duration: number
}

/** The moments of a particle that a picture shows, and how it is laid out. */
export interface CheckMoments {
  /** Each the middle of its share of the time, s. */
  readonly times: readonly number[]
  readonly sheet: SheetLayout
  /** Between two of them. */
  readonly stepSeconds: number
}

/** Chooses as many moments as a picture has room for. */
export function chooseMoments({ width, height }: Size, { fps, duration }: Timing): CheckMoments {
  const frames = Math.max(1, Math.floor(duration * fps))
  const sheet = layOutSheet({ width, height, durationMs: duration * 1000, frames })
  const stepSeconds = duration / sheet.cells.length
  return { times: sheet.cells.map((_, index) => (index + 0.5) * stepSeconds), sheet, stepSeconds }
}

/** A PNG of the moments, whose pictures these are. */
export async function drawMoments(
  { sheet, stepSeconds }: CheckMoments,
  pictures: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<Uint8Array> {
  const scaled = await decodePngs(pictures, { ...sheet.frame, signal })
  const { pixels, ...size } = drawSheet(sheet, scaled, stepSeconds * 1000)
  return encodePng({ ...size, channels: 3, bytes: pixels })
}
