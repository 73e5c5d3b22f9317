import type { TrackTurn } from './speaker-tracks.ts'
import type { SpeakerTurn } from './spoken.ts'

/** A pause of one speaker that is not told, and the shortest turn that is, seconds. */
const maxTurnPause = 0.3
const minTurnSeconds = 0.1

/**
 * Turns of speakers from those of tracks: `groups` tells the group of each track, or nothing of one that is too
 * short to be known, which then speaks as whoever is nearest in time.
 */
export function speakerTurns(
  tracks: readonly TrackTurn[],
  { groups, seconds }: { groups: ReadonlyMap<number, number>; seconds: (frame: number) => number },
): SpeakerTurn[] {
  const known = tracks.filter(({ track }) => groups.has(track))
  const groupOf = (turn: TrackTurn): number =>
    groups.get(turn.track) ?? groups.get(nearestTrack(turn, known)?.track ?? -1) ?? 0
  const ordered = tracks.toSorted((one, other) => one.start - other.start)
  const order = new Map<number, number>()
  const last = new Map<number, number>()
  const turns: { speaker: number; start: number; end: number }[] = []
  for (const turn of ordered) {
    const group = groupOf(turn)
    const speaker = order.get(group) ?? order.size
    order.set(group, speaker)
    const [start, end] = [seconds(turn.start), seconds(turn.end)]
    const before = turns[last.get(speaker) ?? -1]
    if (before && start - before.end <= maxTurnPause) {
      before.end = Math.max(before.end, end)
      continue
    }
    last.set(speaker, turns.length)
    turns.push({ speaker, start, end })
  }
  return renumberSpeakers(turns.filter(({ start, end }) => end - start >= minTurnSeconds))
}

function nearestTrack({ start, end }: TrackTurn, others: readonly TrackTurn[]): TrackTurn | undefined {
  const gap = (other: TrackTurn) => Math.max(other.start - end, start - other.end)
  return others.toSorted((one, other) => gap(one) - gap(other)).at(0)
}

/** Counts speakers anew, as some may have said nothing that is told. */
function renumberSpeakers(turns: readonly SpeakerTurn[]): SpeakerTurn[] {
  const order = [...new Set(turns.map(({ speaker }) => speaker))]
  return turns.map((turn) => ({ ...turn, speaker: order.indexOf(turn.speaker) }))
}
