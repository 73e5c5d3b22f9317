import type { SpeakerTurn, TimeSpan } from '../speech/speech-types.ts'

/**
 * Returns the speaker of each word: of the turn that overlaps it most, else of the nearest turn, else 0. Words are in order;
 * turns may overlap.
 */
export function wordSpeakers(words: readonly TimeSpan[], turns: readonly SpeakerTurn[]): number[] {
  const sorted = turns.toSorted((one, other) => one.start - other.start || one.speaker - other.speaker)
  let next = 0
  let open: SpeakerTurn[] = []
  // The turn that ends last of those before the word.
  let before: SpeakerTurn | undefined
  return words.map((word) => {
    for (let turn = sorted[next]; turn && turn.start < word.end; turn = sorted[next]) {
      open.push(turn)
      next += 1
    }
    for (const turn of open) if (turn.end <= word.start && turn.end >= (before?.end ?? 0)) before = turn
    open = open.filter((turn) => turn.end > word.start)
    const [best] = open.toSorted((one, other) => overlap(other, word) - overlap(one, word))
    if (best) return best.speaker
    const after = sorted[next]
    if (!before || !after) return (before ?? after)?.speaker ?? 0
    return (word.start - before.end <= after.start - word.end ? before : after).speaker
  })
}

function overlap(turn: TimeSpan, word: TimeSpan): number {
  return Math.min(turn.end, word.end) - Math.max(turn.start, word.start)
}
