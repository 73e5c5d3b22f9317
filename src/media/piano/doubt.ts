import type { HeardNote } from './track.ts'

/** A note of this length, seconds, is a whole one. */
const whole = 0.25

/** A sound glides where one a semitone beside it begins as it ends, seconds around that. */
const handover = 0.06

/**
 * Least steadiness of a piano. Measured: speech in English and Chinese 0.07 to 0.35, noise 0.1; pianos 0.47 (fast
 * trills in a noisy room) to 1.
 */
const leastSteady = 0.4

/** Why what was heard is no piano; null where it is one. Notes come by their start. */
export function doubtOf(notes: readonly HeardNote[]): string | null {
  if (notes.length === 0) return 'no note stands out'
  if (steadiness(notes) >= leastSteady) return null
  const sounds =
    notes.length === 1 ? 'only sound is short or glides' : `${notes.length} sounds are short or glide`
  return `its ${sounds}, as those of speech or noise do`
}

/** How long sure notes ring on average, of whole ones, less a third of the share of those that glide into another. */
export function steadiness(notes: readonly HeardNote[]): number {
  const lengths = notes.reduce(
    (sum, { start, gone, sure }) => sum + sure ** 2 * Math.min(1, (gone - start) / whole),
    0,
  )
  const gliding = notes.filter((note, at) => glides(note, notes, at)).length
  return (lengths - gliding / 3) / notes.length
}

function glides({ pitch, gone }: HeardNote, notes: readonly HeardNote[], at: number): boolean {
  for (let next = at + 1; next < notes.length; next += 1) {
    const other = notes[next]
    if (!other || other.start > gone + handover) return false
    if (Math.abs(other.pitch - pitch) === 1 && other.start > gone - handover) return true
  }
  return false
}
