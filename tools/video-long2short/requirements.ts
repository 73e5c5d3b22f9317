import type { OperationRequirements } from '../../src/contract/operation.ts'
import { transcriptRequirements } from '../../src/contract/shorts.ts'
import type { videoLong2short } from './contract.ts'

/**
 * Requires the models that find and recognise speech, unless the request has a transcript. A language model and the one
 * that finds faces are used if there are any.
 */
export const requirements: OperationRequirements<typeof videoLong2short> = (input) => {
  const { outputs = ['project'] } = input ?? {}
  const hasPictures = outputs.includes('project') || outputs.includes('video')
  return [
    { kind: 'ffmpeg' },
    ...transcriptRequirements(input),
    ...(hasPictures ? [{ kind: 'pack', name: 'face-detection', recommended: true } as const] : []),
    { kind: 'language-model', optional: true },
  ]
}
