import type { OperationRequirements } from '../../src/contract/operation.ts'
import type { pianoAudioEnhance } from './contract.ts'

/** A model that finds piano notes, and a piano to play them. */
export const requirements: OperationRequirements<typeof pianoAudioEnhance> = () => [
  { kind: 'ffmpeg' },
  { kind: 'piano-transcriber' },
  { kind: 'piano-sound' },
]
