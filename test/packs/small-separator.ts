import { manifest, type Manifest } from '../../src/engines/packs/manifest.ts'

const separation = manifest['voice-separation']

/** The packs of the product with a separator so small that it counts as available: it is downloaded on first use. */
export const manifestWithSmallSeparator = {
  ...manifest,
  'voice-separation': { ...separation, artifact: { ...separation.artifact, bytes: 1 }, otherFiles: [] },
} satisfies Manifest
