import type { OperationRequirements } from '../../src/contract/operation.ts'
import { transcriptRequirements } from '../../src/contract/shorts.ts'
import type { videoLong2shortPro } from './contract.ts'

/**
 * Requires the models that find and recognise speech, unless the request has a transcript, and the one that finds text to
 * remove it. A language model and the one that finds faces are used if there are any.
 */
export const requirements: OperationRequirements<typeof videoLong2shortPro> = (input) => [
  { kind: 'ffmpeg' },
  ...transcriptRequirements(input),
  ...(input?.subtitle.purify_source ? [{ kind: 'text-detection' } as const] : []),
  { kind: 'pack', name: 'face-detection', recommended: true },
  { kind: 'language-model', optional: true },
]
