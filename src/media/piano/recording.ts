import { MediaError } from '../../contract/errors.ts'
import type { RequestFile } from '../../contract/operation.ts'

/** Longest recording: 6 hours, in ms. */
const maxRecordingMs = 6 * 3600 * 1000

/** Duration that the file declares, ms; 0 for a file without sound. */
export function declaredDurationMs(facts: RequestFile['facts']): number {
  const sound = facts?.audio[0]
  return sound ? sound.start_ms + (sound.duration_ms || facts.duration_ms) : 0
}

/** Duration up to the point where a truncated file ends, ms. Throws 6014 without sound, 6016 beyond 6 hours. */
export function recordingDurationMs({ name, facts }: Pick<RequestFile, 'name' | 'facts'>): number {
  const durationMs = Math.min(declaredDurationMs(facts), facts?.cut_off_ms ?? Infinity)
  if (durationMs <= 0) {
    throw new MediaError(6014, `file_id: ${name} contains no sound`, {
      hint: 'Give an audio file with sound. Extract the sound of a video first.',
    })
  }
  if (durationMs > maxRecordingMs) {
    throw new MediaError(6016, `file_id: ${name} is longer than 6 hours`, {
      hint: 'Cut it into shorter pieces.',
    })
  }
  return durationMs
}

/** Seconds of work on two cores: start-up, and rendering one second of sound; measured. */
const measuredSeconds = { start: 1.5, renderedSecond: 0.05 }

/**
 * Seconds of work per second of sound on two cores. Basic Pitch: measured. Kong et al. (2021): estimated from about
 * 200 billion multiplications per window of ten seconds, one window every five seconds.
 */
export const transcriptionPaces = { basicPitch: 0.02, highResolution: 1 } as const

/** Expected seconds of work to transcribe a recording. `secondsPerSecond` defaults to that of Basic Pitch. */
export function transcriptionSeconds(
  durationMs: number,
  secondsPerSecond: number = transcriptionPaces.basicPitch,
): number {
  return roundToTenth(measuredSeconds.start + (secondsPerSecond * durationMs) / 1000)
}

/** Expected seconds of work with the models trained on pianos, by pack; `further` seconds are added. */
export function secondsWithPianoModels(durationMs: number, further = 0): Readonly<Record<string, number>> {
  const seconds = transcriptionSeconds(durationMs, transcriptionPaces.highResolution) + further
  return { 'piano-model': seconds, 'piano-transcription-pedal': seconds }
}

/** Expected seconds of work to render a performance. */
export function renderingSeconds(durationMs: number): number {
  return roundToTenth(measuredSeconds.start + (measuredSeconds.renderedSecond * durationMs) / 1000)
}

/** Timeout, ms, for work of `expected` seconds; generous, as a machine may be busy and far slower than the measured one. */
export function workTimeoutMs(expected: number): number {
  return (10 * 60 + 30 * expected) * 1000
}

function roundToTenth(seconds: number): number {
  return Math.round(10 * seconds) / 10
}
