import type { OperationRequirements } from '../../src/contract/operation.ts'
import type { materialDescribe } from './contract.ts'

/** A language model that can view images, and the detection of letters. */
export const requirements: OperationRequirements<typeof materialDescribe> = () => [
  { kind: 'ffmpeg' },
  { kind: 'text-detection' },
  { kind: 'language-model' },
]
