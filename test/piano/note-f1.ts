import type { Performance, PianoNote } from '../../src/media/piano/note.ts'

/** Seconds by which a begin may be off, as mir_eval has it. */
const onsetTolerance = 0.05

/** Counts of a comparison; they add up over clips. */
export interface Score {
  readonly matched: number
  readonly found: number
  readonly truth: number
}

/** How many notes of one pitch begin together, one to one: mir_eval's matching by begin, and by end where wished. */
export function scoreNotes(truth: Performance, found: readonly PianoNote[], withEnds = false): Score {
  return {
    matched: matchNotes(truth, found, withEnds).length,
    found: found.length,
    truth: truth.notes.length,
  }
}

/** The pairs of a largest one-to-one matching. */
export function matchNotes(
  truth: Performance,
  found: readonly PianoNote[],
  withEnds = false,
): [PianoNote, PianoNote][] {
  const sounding = withEnds ? truth.notes.map((note) => sounded(note, truth)) : truth.notes
  const byPitch = Map.groupBy(found, ({ pitch }) => pitch)
  const pairs: [PianoNote, PianoNote][] = []
  for (const [pitch, notes] of Map.groupBy(sounding, (note) => note.pitch)) {
    const candidates = byPitch.get(pitch) ?? []
    const owner = new Map<PianoNote, PianoNote>()
    const give = (note: PianoNote, seen: Set<PianoNote>): boolean =>
      candidates.some((candidate) => {
        if (seen.has(candidate) || !fits(note, candidate, withEnds)) return false
        seen.add(candidate)
        const before = owner.get(candidate)
        if (before && !give(before, seen)) return false
        owner.set(candidate, note)
        return true
      })
    for (const note of notes) give(note, new Set())
    for (const [candidate, note] of owner) pairs.push([note, candidate])
  }
  return pairs
}

/** An end may be off by 50 ms or a fifth of the note. */
function fits(note: PianoNote, candidate: PianoNote, withEnds: boolean): boolean {
  if (Math.abs(note.start - candidate.start) > onsetTolerance) return false
  if (!withEnds) return true
  return Math.abs(note.end - candidate.end) <= Math.max(onsetTolerance, 0.2 * (note.end - note.start))
}

/** A note lasts as long as the pedal holds it, or until its key is struck again. */
function sounded(note: PianoNote, { notes, pedals }: Performance): PianoNote {
  const held = pedals.find(({ start, end }) => start <= note.end && note.end < end)
  if (!held) return note
  const again = notes.find(({ pitch, start }) => pitch === note.pitch && start > note.start)
  return { ...note, end: Math.min(held.end, again?.start ?? Infinity) }
}

/** Harmonic mean of precision and recall over clips. */
export function f1(scores: readonly Score[]): number {
  const sum = (of: (score: Score) => number) => scores.reduce((total, score) => total + of(score), 0)
  const all = sum(({ found }) => found) + sum(({ truth }) => truth)
  return all === 0 ? 1 : (2 * sum(({ matched }) => matched)) / all
}
