import { manifest } from '../../../src/engines/packs/manifest.ts'
import { configurePacks } from '../../../src/engines/packs/resolve.ts'
import { testdata } from '../ffmpeg/made.ts'

/** Tells this process of the packs, with the public test files as their mirror; false where those are not there. */
export function packsFrom(folder: string): boolean {
  const mirror = testdata('models')
  if (mirror === undefined) return false
  configurePacks({ folder, automatic: true, mirror, own: {}, manifest })
  return true
}
