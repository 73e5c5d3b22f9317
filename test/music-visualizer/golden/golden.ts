import { fileURLToPath } from 'node:url'
import type { Canvas } from '../../../src/engines/canvas/load.ts'
import { draw, song, type Wish } from '../draw-template.ts'

/** Of one frame, pixels. */
export const goldenSize = { width: 240, height: 135 }

/** The frames that are kept of each template: on a drum, between two, and later. */
export const goldenFrames = [15, 37, 92] as const

/** Frames as they are drawn now; without words and digits, whose shapes depend on the machine's fonts. */
export function golden(template: Wish['template']): Promise<Canvas[]> {
  return draw({ template, samples: song(), ...goldenSize, wordless: true }, goldenFrames)
}

/** The frames that were accepted, side by side. */
export function goldenFile(template: Wish['template']): string {
  return fileURLToPath(new URL(`${template}.png`, import.meta.url))
}
