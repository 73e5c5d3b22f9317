import type { OperationRequirements } from '../../src/contract/operation.ts'
import type { materialSearch } from './contract.ts'

/** Pictures are also found by what they show, where an embedding model is installed; sounds likewise, with a pack. */
export const requirements: OperationRequirements<typeof materialSearch> = () => [
  { kind: 'embedding-model', optional: true },
]
