import type { PianoNote } from './note.ts'

/** Notes in order: by start, then pitch. */
export function compareNotes(
  one: Pick<PianoNote, 'start' | 'pitch'>,
  other: Pick<PianoNote, 'start' | 'pitch'>,
): number {
  return one.start - other.start || one.pitch - other.pitch
}
