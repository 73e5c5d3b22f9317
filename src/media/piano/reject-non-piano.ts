import type { TranscribedNote } from './note-tracker.ts'

/** A note of this length, seconds, is a whole one. */
const wholeNoteSeconds = 0.25

/** A sound glides where one a semitone beside it begins as it ends, seconds around that. */
const glideSeconds = 0.06

/**
 * Least steadiness of a piano. Measured: speech in English and Chinese 0.07 to 0.35, noise 0.1; pianos 0.47 (fast
 * trills in a noisy room) to 1.
 */
const minSteadiness = 0.4

/** Why what was heard is no piano; null where it is one. Notes come by their start. */
export function rejectNonPiano(notes: readonly TranscribedNote[]): string | null {
  if (notes.length === 0) return 'no note stands out'
  if (noteSteadiness(notes) >= minSteadiness) return null
  const sounds =
    notes.length === 1 ? 'only sound is short or glides' : `${notes.length} sounds are short or glide`
  return `its ${sounds}, as those of speech or noise do`
}

/** How long sure notes ring on average, of whole ones, less a third of the share of those that glide into another. */
export function noteSteadiness(notes: readonly TranscribedNote[]): number {
  const lengths = notes.reduce(
    (sum, { start, soundEnd: gone, probability: sure }) =>
      sum + sure ** 2 * Math.min(1, (gone - start) / wholeNoteSeconds),
    0,
  )
  const gliding = notes.filter((note, at) => glidesIntoNeighbour(note, notes, at)).length
  return (lengths - gliding / 3) / notes.length
}

function glidesIntoNeighbour(
  { pitch, soundEnd: gone }: TranscribedNote,
  notes: readonly TranscribedNote[],
  at: number,
): boolean {
  for (let next = at + 1; next < notes.length; next += 1) {
    const other = notes[next]
    if (!other || other.start > gone + glideSeconds) return false
    if (Math.abs(other.pitch - pitch) === 1 && other.start > gone - glideSeconds) return true
  }
  return false
}
