import type { RequestFile, OperationRequirements } from '../../src/contract/operation.ts'
import type { Requirement } from '../../src/contract/requirement.ts'
import type { videoPurify } from './contract.ts'
import { searchesText, treatsPicture, type PurifyInput } from './estimate.ts'

/** Text detection where text is searched, and the requirements of the treatment where the request itself names areas. */
export const requirements: OperationRequirements<typeof videoPurify> = (input, files) => {
  if (!input) return [{ kind: 'ffmpeg' }, { kind: 'text-detection', recommended: true }]
  // An empty list in a file treats nothing; only the worker knows whether it is empty.
  const isTreatedForSure = treatsPicture(input) && input.regions_file_id === undefined
  return [
    { kind: 'ffmpeg' },
    ...(searchesText(input) ? [{ kind: 'text-detection' } as const] : []),
    ...(isTreatedForSure && files ? treatmentRequirements(input, files.get(input.file_id)) : []),
  ]
}

/** Requirements of treating the picture of a video: the runtime of configured models, and tone mapping for HDR. */
export function treatmentRequirements(
  { purify_func_type }: PurifyInput,
  { name, facts }: RequestFile,
): readonly Requirement[] {
  return [
    ...(purify_func_type === 'raft'
      ? [{ kind: 'own-models', names: ['inpainting', 'optical-flow'] } as const]
      : []),
    ...(facts?.video?.hdr ? [{ kind: 'tone-mapping', file: name } as const] : []),
  ]
}
