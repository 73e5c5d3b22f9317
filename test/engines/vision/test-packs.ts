import { manifest } from '../../../src/engines/packs/manifest.ts'
import { configurePacks } from '../../../src/engines/packs/resolve.ts'
import { testdata } from '../ffmpeg/generate-media.ts'

/**
 * Configures packs for this process, with the public test files as mirror. Returns false if these are not available.
 */
export function useTestPacks(folder: string): boolean {
  const mirror = testdata('models')
  if (mirror === undefined) return false
  configurePacks({ folder, automatic: true, mirror, own: {}, manifest })
  return true
}

/** Configures packs for this process, none of which is installed. */
export function useNoPacks(folder: string): void {
  configurePacks({ folder, automatic: false, own: {}, manifest })
}
