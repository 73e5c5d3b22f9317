import { captureFrames } from '../../src/engines/chromium/capture.ts'
import type { CaptureParticle } from '../../src/engines/chromium/particle.ts'
import { decodePngs } from '../../src/engines/ffmpeg/decode-pngs.ts'
import { drawSheet } from '../../src/engines/ffmpeg/draw-sheet.ts'
import { layOutSheet } from '../../src/engines/ffmpeg/sheet-layout.ts'
import type { Size } from '../../src/media/layout/canvas.ts'
import { encodePng } from '../../src/platform/png.ts'

interface Showing extends Size {
  readonly fps: number
  readonly scratch: string
  readonly signal: AbortSignal
}

/** A PNG of moments of a particle that plays, each from the middle of its share of the time. */
export async function drawMoments(particle: CaptureParticle, showing: Showing): Promise<Uint8Array> {
  const { width, height, fps, scratch, signal } = showing
  const durationMs = particle.duration * 1000
  const frames = Math.max(1, Math.floor(particle.duration * fps))
  const sheet = layOutSheet({ width, height, durationMs, frames })
  const count = sheet.cells.length
  const stepSeconds = particle.duration / count
  const captured = captureFrames({
    // Frame 0 is to fall into the middle of the first share.
    particles: [{ ...particle, start: -stepSeconds / 2, duration: particle.duration + stepSeconds }],
    ...{ width, height, scratch, signal, frames: count, threads: 1 },
    fps: 1 / stepSeconds,
  })
  const pngs: Uint8Array[] = []
  for await (const { count: standing, png } of captured) {
    for (let shown = 0; shown < standing; shown += 1) pngs.push(png)
  }
  const pictures = await decodePngs(pngs, { ...sheet.frame, signal })
  const { pixels, ...size } = drawSheet(sheet, pictures, stepSeconds * 1000)
  return encodePng({ ...size, channels: 3, bytes: pixels })
}
