/** A key of a piano: struck, held and left; MIDI numbers, seconds. */
export interface PianoNote {
  /** MIDI number, 21 (A0) to 108 (C8). */
  readonly pitch: number
  readonly start: number
  /** When the key is left; where no pedal is told, when its sound has ended. */
  readonly end: number
  /** 1 to 127. */
  readonly velocity: number
}

/** The sustain pedal held down, in seconds. */
export interface PedalSpan {
  readonly start: number
  readonly end: number
}

/** What was played. */
export interface Performance {
  /** By start, then pitch. */
  readonly notes: readonly PianoNote[]
  readonly pedals: readonly PedalSpan[]
}

/** Lowest key of a piano, A0, as a MIDI number. */
export const lowestKey = 21

/** Keys of a piano: A0 to C8. */
export const keyCount = 88

/** Frequency of a MIDI pitch in equal temperament at 440 Hz. */
export function pitchFrequency(pitch: number): number {
  return 440 * 2 ** ((pitch - 69) / 12)
}

/** Notes in order: by start, then pitch. */
export function compareNotes(
  one: Pick<PianoNote, 'start' | 'pitch'>,
  other: Pick<PianoNote, 'start' | 'pitch'>,
): number {
  return one.start - other.start || one.pitch - other.pitch
}
