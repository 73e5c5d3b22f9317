import type { TranscribedNote } from './note-tracker.ts'

/** Length from which a note counts in full, seconds. */
const wholeNoteSeconds = 0.25

/** A sound glides if a neighbouring semitone begins within this time of its end, seconds. */
const glideSeconds = 0.06

/**
 * Lowest steadiness of a piano. Measured: speech in English and Chinese 0.07 to 0.35, noise 0.1, pianos 0.47 (fast
 * trills in a noisy room) to 1.
 */
const minSteadiness = 0.4

/** Reason why a transcription is not of a piano; null if it is. Notes are sorted by start. */
export function rejectNonPiano(notes: readonly TranscribedNote[]): string | null {
  if (notes.length === 0) return 'no note was detected'
  if (noteSteadiness(notes) >= minSteadiness) return null
  const sounds =
    notes.length === 1 ? 'only sound is short or glides' : `${notes.length} sounds are short or glide`
  return `its ${sounds}, like speech or noise`
}

/**
 * Steadiness of notes, -1/3 to 1: mean of probability² times length (1 from 0.25 s on), less a third of the share of
 * notes that glide into a neighbouring semitone.
 */
export function noteSteadiness(notes: readonly TranscribedNote[]): number {
  const lengths = notes.reduce(
    (sum, { start, soundEnd, probability }) =>
      sum + probability ** 2 * Math.min(1, (soundEnd - start) / wholeNoteSeconds),
    0,
  )
  const gliding = notes.filter((note, at) => glidesIntoNeighbour(note, notes, at)).length
  return (lengths - gliding / 3) / notes.length
}

function glidesIntoNeighbour(
  { pitch, soundEnd }: TranscribedNote,
  notes: readonly TranscribedNote[],
  at: number,
): boolean {
  for (let next = at + 1; next < notes.length; next += 1) {
    const other = notes[next]
    if (!other || other.start > soundEnd + glideSeconds) return false
    if (Math.abs(other.pitch - pitch) === 1 && other.start > soundEnd - glideSeconds) return true
  }
  return false
}
