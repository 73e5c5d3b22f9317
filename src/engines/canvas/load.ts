import type * as drawing from '@napi-rs/canvas'
import type { Canvas, SKRSContext2D } from '@napi-rs/canvas'
import { MediaError } from '../../contract/errors.ts'

/** The drawing library. Its native binary is loaded on first use. */
export type Drawing = typeof drawing

export type { Canvas }

/** The 2D context of a canvas. */
export type Pen = SKRSContext2D

/** Loads the drawing library. Throws 6401 (not retryable) if it has no build for this machine. */
export async function loadDrawing(): Promise<Drawing> {
  try {
    return await import('@napi-rs/canvas')
  } catch (error) {
    throw new MediaError(6401, 'the drawing library @napi-rs/canvas does not load on this machine', {
      cause: error,
      retryable: false,
      hint: 'Install again with optional packages for this platform: npm install --include=optional',
    })
  }
}
