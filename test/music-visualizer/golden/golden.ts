import { fileURLToPath } from 'node:url'
import type { Canvas } from '../../../src/engines/canvas/drawing.ts'
import { drawTemplate, song, type DrawOptions } from '../draw-template.ts'

/** Size of one frame, pixels. */
export const goldenSize = { width: 240, height: 135 }

/** Numbers of the golden frames of each template: on a drum, between two, and later. */
export const goldenFrames = [15, 37, 92] as const

/** Draws the golden frames without text, because letters and digits depend on the machine's fonts. */
export function drawGoldenFrames(template: DrawOptions['template']): Promise<Canvas[]> {
  return drawTemplate({ template, samples: song(), ...goldenSize, withoutText: true }, goldenFrames)
}

/** Path of the picture with the accepted frames side by side. */
export function goldenFramesFile(template: DrawOptions['template']): string {
  return fileURLToPath(new URL(`${template}.png`, import.meta.url))
}
