/** A note of a performance; times in seconds. */
export interface PianoNote {
  /** MIDI number, 21 (A0) to 108 (C8). */
  readonly pitch: number
  readonly start: number
  /** Release of the key; when the sound ends if the transcriber detects no pedal. */
  readonly end: number
  /** 1 to 127. */
  readonly velocity: number
}

/** A span in which the sustain pedal is pressed, seconds. */
export interface PedalSpan {
  readonly start: number
  readonly end: number
}

/** Notes and pedal of a recording. */
export interface Performance {
  /** Sorted by start, then pitch. */
  readonly notes: readonly PianoNote[]
  readonly pedals: readonly PedalSpan[]
}

/** Lowest key of a piano, A0, as a MIDI number. */
export const lowestKey = 21

/** Number of piano keys: A0 to C8. */
export const keyCount = 88

/** Frequency of a MIDI pitch, Hz; equal temperament, A4 = 440 Hz. */
export function pitchFrequency(pitch: number): number {
  return 440 * 2 ** ((pitch - 69) / 12)
}

/** Sort order of notes: by start, then pitch. */
export function compareNotes(
  one: Pick<PianoNote, 'start' | 'pitch'>,
  other: Pick<PianoNote, 'start' | 'pitch'>,
): number {
  return one.start - other.start || one.pitch - other.pitch
}
