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

/** Seconds on two cores to start, and to play a second of sound; measured. */
const measured = { start: 1.5, played: 0.05 }

/**
 * Seconds of work for a second of sound, on two cores. Basic Pitch: measured. The form of Kong et al.: reckoned; a
 * window of ten seconds takes some 200 billion multiplications, and one begins every five.
 */
export const transcriptionPaces = { basicPitch: 0.02, highResolution: 1 } as const

/** Seconds of work to expect for finding the notes of a recording; by Basic Pitch, where no other pace is given. */
export function transcriptionSeconds(lastsMs: number, pace: number = transcriptionPaces.basicPitch): number {
  return tenths(measured.start + (pace * lastsMs) / 1000)
}

/** Seconds of work to expect for playing them. */
export function renderingSeconds(lastsMs: number): number {
  return tenths(measured.start + (measured.played * lastsMs) / 1000)
}

/** Milliseconds after which work of so many seconds hangs: a machine may be busy, and much slower than the one measured. */
export function workTimeoutMs(expected: number): number {
  return (10 * 60 + 30 * expected) * 1000
}

function tenths(seconds: number): number {
  return Math.round(10 * seconds) / 10
}
