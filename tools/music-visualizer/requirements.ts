import type { OperationRequirements } from '../../src/contract/operation.ts'
import type { musicVisualizer } from './contract.ts'
import { readVisualizerRequest } from './request.ts'

/** The drawing library, and tone mapping for an HDR background. */
export const requirements: OperationRequirements<typeof musicVisualizer> = (input, files) => {
  const background = input && files && readVisualizerRequest(input, files).background
  return [
    { kind: 'ffmpeg' },
    { kind: 'canvas' },
    ...(background?.facts?.video?.hdr ? [{ kind: 'tone-mapping', file: background.name } as const] : []),
  ]
}
