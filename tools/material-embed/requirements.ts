import type { OperationRequirements } from '../../src/contract/operation.ts'
import type { materialEmbed } from './contract.ts'

/** A model that embeds texts and images, and ffmpeg, which decodes these. */
export const requirements: OperationRequirements<typeof materialEmbed> = () => [
  { kind: 'ffmpeg' },
  { kind: 'embedding-model' },
]
