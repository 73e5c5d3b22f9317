import type { OperationRequirements } from '../../src/contract/operation.ts'
import type { subtitleTranslate } from './contract.ts'

/** A language model. */
export const requirements: OperationRequirements<typeof subtitleTranslate> = () => [
  { kind: 'language-model' },
]
