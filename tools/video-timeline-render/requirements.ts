import type { OperationRequirements } from '../../src/contract/operation.ts'
import { readGtrk } from '../../src/media/timeline/read-gtrk.ts'
import { hdrMaterialNames } from '../../src/media/timeline/sources.ts'
import type { videoTimelineRender } from './contract.ts'

/** Requires ffmpeg, and tone mapping for HDR clips. */
export const requirements: OperationRequirements<typeof videoTimelineRender> = (input, files) => {
  const names = input && files ? hdrMaterialNames(readGtrk(input), files) : []
  return [{ kind: 'ffmpeg' }, ...names.map((file) => ({ kind: 'tone-mapping', file }) as const)]
}
