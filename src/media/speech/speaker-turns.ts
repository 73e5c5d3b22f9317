import type { TrackTurn } from './speaker-tracks.ts'
import type { SpeakerTurn } from './speech-types.ts'

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

/**
 * Groups vectors of length 1 by their likeness: the two groups that are most alike on average become one, as long as
 * that is at least `least` (the cosine). What `apart` tells is never in one group. Answers the group of each, from 0.
 */
export function clusterEmbeddings(
  vectors: readonly Float32Array[],
  { least, apart }: { readonly least: number; readonly apart: (one: number, other: number) => boolean },
): number[] {
  const count = vectors.length
  const alike = Float64Array.from({ length: count * count }, (_, place) => {
    const [one, other] = [Math.floor(place / count), place % count]
    if (one === other || apart(one, other)) return -Infinity
    return cosineSimilarity(vectors[one], vectors[other])
  })
  const sizes = vectors.map(() => 1)
  const groups = vectors.map((_, index) => index)
  const living = new Set(groups)
  const nearest = groups.map((row) => nearestCluster(row, { alike, count, living }))
  for (;;) {
    const one = [...living].reduce<number | undefined>(
      (best, row) => (best === undefined || at(row) > at(best) ? row : best),
      undefined,
    )
    const other = one === undefined ? undefined : nearest[one]
    if (one === undefined || other === undefined || at(one) < least) break
    merge(one, other)
  }
  const order = [...new Set(groups)]
  return groups.map((group) => order.indexOf(group))

  function at(row: number): number {
    const partner = nearest[row]
    return partner === undefined ? -Infinity : (alike[row * count + partner] ?? -Infinity)
  }

  function merge(one: number, other: number): void {
    living.delete(other)
    for (const [index, group] of groups.entries()) if (group === other) groups[index] = one
    const [weight, otherWeight] = [sizes[one] ?? 1, sizes[other] ?? 1]
    sizes[one] = weight + otherWeight
    for (const row of living) {
      if (row === one) continue
      const both = (alike[one * count + row] ?? 0) * weight + (alike[other * count + row] ?? 0) * otherWeight
      alike[one * count + row] = both / (weight + otherWeight)
      alike[row * count + one] = both / (weight + otherWeight)
    }
    for (const row of living) {
      const isStale = row === one || nearest[row] === one || nearest[row] === other
      if (isStale || (alike[row * count + one] ?? 0) > at(row))
        nearest[row] = nearestCluster(row, { alike, count, living })
    }
  }
}

interface SimilarityMatrix {
  readonly alike: Float64Array
  readonly count: number
  readonly living: ReadonlySet<number>
}

function nearestCluster(row: number, { alike, count, living }: SimilarityMatrix): number | undefined {
  let best: number | undefined
  for (const other of living) {
    const value = alike[row * count + other] ?? -Infinity
    if (value > (best === undefined ? -Infinity : (alike[row * count + best] ?? 0))) best = other
  }
  return best
}

/** The cosine of two vectors of length 1. */
function cosineSimilarity(one: Float32Array | undefined, other: Float32Array | undefined): number {
  let sum = 0
  for (const [index, value] of one?.entries() ?? []) sum += value * (other?.[index] ?? 0)
  return sum
}
