import type { OperationRequirements } from '../../src/contract/operation.ts'
import type { pianoAudioToMidi } from './contract.ts'

/** A model that finds piano notes. */
export const requirements: OperationRequirements<typeof pianoAudioToMidi> = () => [
  { kind: 'ffmpeg' },
  { kind: 'piano-transcriber' },
]
