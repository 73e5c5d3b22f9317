import type { OperationRequirements } from '../../src/contract/operation.ts'
import type { audioLanguageDetect } from './contract.ts'

/** A language identifier, and the models that find speech in a recording. */
export const requirements: OperationRequirements<typeof audioLanguageDetect> = () => [
  { kind: 'ffmpeg' },
  { kind: 'language-identifier' },
  { kind: 'pack', name: 'voice-activity' },
  { kind: 'pack', name: 'onnx-runtime' },
]
