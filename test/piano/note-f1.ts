import type { Performance, PianoNote } from '../../src/media/piano/note.ts'

/** Onset tolerance of mir_eval, seconds. */
const onsetTolerance = 0.05

/** Counts of a comparison; can be summed over clips. */
export interface Score {
  readonly matched: number
  readonly found: number
  readonly truth: number
}

/** Number of matching notes, one to one, by pitch and onset, optionally also by offset (mir_eval). */
export function scoreNotes(truth: Performance, found: readonly PianoNote[], withEnds = false): Score {
  return {
    matched: matchNotes(truth, found, withEnds).length,
    found: found.length,
    truth: truth.notes.length,
  }
}

/** Pairs of a maximum bipartite matching. */
export function matchNotes(
  truth: Performance,
  found: readonly PianoNote[],
  withEnds = false,
): [PianoNote, PianoNote][] {
  const truthNotes = withEnds ? truth.notes.map((note) => extendByPedal(note, truth)) : truth.notes
  const byPitch = Map.groupBy(found, ({ pitch }) => pitch)
  const pairs: [PianoNote, PianoNote][] = []
  for (const [pitch, notes] of Map.groupBy(truthNotes, (note) => note.pitch)) {
    const candidates = byPitch.get(pitch) ?? []
    const matchedTruth = new Map<PianoNote, PianoNote>()
    const findMatch = (note: PianoNote, seen: Set<PianoNote>): boolean =>
      candidates.some((candidate) => {
        if (seen.has(candidate) || !isMatch(note, candidate, withEnds)) return false
        seen.add(candidate)
        const before = matchedTruth.get(candidate)
        if (before && !findMatch(before, seen)) return false
        matchedTruth.set(candidate, note)
        return true
      })
    for (const note of notes) findMatch(note, new Set())
    for (const [candidate, note] of matchedTruth) pairs.push([note, candidate])
  }
  return pairs
}

/** Offset tolerance: 50 ms or a fifth of the note. */
function isMatch(note: PianoNote, candidate: PianoNote, withEnds: boolean): boolean {
  if (Math.abs(note.start - candidate.start) > onsetTolerance) return false
  if (!withEnds) return true
  return Math.abs(note.end - candidate.end) <= Math.max(onsetTolerance, 0.2 * (note.end - note.start))
}

/** Extends notes while the pedal is pressed, until the key is struck again. */
function extendByPedal(note: PianoNote, { notes, pedals }: Performance): PianoNote {
  const pedal = pedals.find(({ start, end }) => start <= note.end && note.end < end)
  if (!pedal) return note
  const again = notes.find(({ pitch, start }) => pitch === note.pitch && start > note.start)
  return { ...note, end: Math.min(pedal.end, again?.start ?? Infinity) }
}

/** Harmonic mean of precision and recall over clips. */
export function f1(scores: readonly Score[]): number {
  const sum = (select: (score: Score) => number) => scores.reduce((total, score) => total + select(score), 0)
  const all = sum(({ found }) => found) + sum(({ truth }) => truth)
  return all === 0 ? 1 : (2 * sum(({ matched }) => matched)) / all
}
