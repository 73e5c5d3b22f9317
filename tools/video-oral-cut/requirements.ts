import type { OperationRequirements } from '../../src/contract/operation.ts'
import { spokenLanguage } from '../../src/contract/languages.ts'
import type { videoOralCut } from './contract.ts'

/** Requires the models that find and recognise speech; for `visual_assist` also the one that finds faces. */
export const requirements: OperationRequirements<typeof videoOralCut> = (input) => [
  { kind: 'ffmpeg' },
  { kind: 'pack', name: 'onnx-runtime' },
  { kind: 'pack', name: 'voice-activity' },
  ...(input?.visual_assist ? [{ kind: 'pack', name: 'face-detection' } as const] : []),
  { kind: 'speech-recogniser', language: spokenLanguage(input?.la ?? 'zh-CN') },
]
