import type * as library from '@techstark/opencv-js'
import { loadEngine } from '../packs/resolve.ts'

/** What looks at pictures, compiled to WebAssembly. */
export type OpenCv = typeof library

/**
 * Loads the library, once, and waits until it can be used; 6401 where it is not there. In a box, as it has a `then`
 * that resolves with itself: to await it never ends.
 */
export async function loadOpenCv(): Promise<{ readonly cv: OpenCv }> {
  const { engine } = await loadEngine('opencv')
  const cv = engine as OpenCv
  await waitUntilReady(cv)
  return { cv }
}

/** One promise for all: the library tells the last who set this alone. */
let initialized: Promise<void> | undefined

function waitUntilReady(cv: OpenCv): Promise<void> {
  initialized ??=
    'Mat' in cv
      ? Promise.resolve()
      : new Promise((resolve) => Object.assign(cv, { onRuntimeInitialized: resolve }))
  return initialized
}
