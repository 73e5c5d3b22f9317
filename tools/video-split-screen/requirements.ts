import type { OperationRequirements } from '../../src/contract/operation.ts'
import type { videoSplitScreen } from './contract.ts'
import { hdrClipNames, selectClips } from './selection.ts'

/** Requires ffmpeg, and tone mapping for HDR clips. */
export const requirements: OperationRequirements<typeof videoSplitScreen> = (input, files) => {
  const names = input && files ? hdrClipNames(selectClips(input, files)) : []
  return [{ kind: 'ffmpeg' }, ...names.map((file) => ({ kind: 'tone-mapping', file }) as const)]
}
