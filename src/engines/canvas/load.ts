import type * as drawing from '@napi-rs/canvas'
import type { Canvas, SKRSContext2D } from '@napi-rs/canvas'
import { MediaError } from '../../contract/errors.ts'

/** What draws: the native library behind it is loaded when it is first needed. */
export type Drawing = typeof drawing

export type { Canvas }

/** What one draws with. */
export type Pen = SKRSContext2D

/** Loads the drawing library; 6401 (not retryable) where it has no build for this machine. */
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
