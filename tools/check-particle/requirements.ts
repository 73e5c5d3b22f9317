import type { OperationRequirements } from '../../src/contract/operation.ts'
import type { checkParticle } from './contract.ts'

/** Chromium plays the particle; ffmpeg encodes its contact sheet. */
export const requirements: OperationRequirements<typeof checkParticle> = () => [
  { kind: 'ffmpeg' },
  { kind: 'chromium' },
]
