import type * as library from '@techstark/opencv-js'
import { loadEngine } from '../packs/resolve.ts'

/** OpenCV, compiled to WebAssembly. */
export type OpenCv = typeof library

/**
 * Loads and initializes the library once. Throws 6401 if it is not installed. Returned in an object because the library
 * has a `then` that resolves with itself, so awaiting it never ends.
 */
export async function loadOpenCv(): Promise<{ readonly cv: OpenCv }> {
  const { engine } = await loadEngine('opencv')
  const cv = engine as OpenCv
  await waitUntilReady(cv)
  return { cv }
}

/** Shared promise: the library keeps only the last initialization callback. */
let initialized: Promise<void> | undefined

function waitUntilReady(cv: OpenCv): Promise<void> {
  initialized ??=
    'Mat' in cv
      ? Promise.resolve()
      : new Promise((resolve) => Object.assign(cv, { onRuntimeInitialized: resolve }))
  return initialized
}
