import { MediaError } from '../../contract/errors.ts'
import type { GivenFile } from '../../contract/operation.ts'

/** Longest recording: 6 hours, in ms. */
const maxRecordingMs = 6 * 3600 * 1000

/** Length of a recording as its file tells it, in ms; 0 of one without sound. */
export function declaredDurationMs(facts: GivenFile['facts']): number {
  const sound = facts?.audio[0]
  return sound ? sound.start_ms + (sound.duration_ms || facts.duration_ms) : 0
}

/** Length of a recording, as far as it goes, in ms. Throws 6014 for a file without sound, 6016 beyond 6 hours. */
export function recordingDurationMs({ name, facts }: Pick<GivenFile, 'name' | 'facts'>): number {
  const durationMs = Math.min(declaredDurationMs(facts), facts?.cut_off_ms ?? Infinity)
  if (durationMs <= 0) {
    throw new MediaError(6014, `file_id: ${name} holds no sound`, {
      hint: 'Give an audio file with sound; take the sound of a video out of it first.',
    })
  }
  if (durationMs > maxRecordingMs) {
    throw new MediaError(6016, `file_id: ${name} lasts longer than 6 hours`, {
      hint: 'Cut it into shorter pieces.',
    })
  }
  return durationMs
}
