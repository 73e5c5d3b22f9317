import type { TrackTurn } from './speaker-tracks.ts'
import type { SpeakerTurn } from './speech-types.ts'

/** Longest pause within a turn, and shortest turn, seconds. */
const maxTurnPause = 0.3
const minTurnSeconds = 0.1

/**
 * Converts turns of tracks to turns of speakers. `groups` maps tracks to speakers; tracks too short for an embedding
 * are absent and get the speaker that is nearest in time. `seconds` converts frames.
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

/** Renumbers speakers, as short turns were dropped. */
function renumberSpeakers(turns: readonly SpeakerTurn[]): SpeakerTurn[] {
  const order = [...new Set(turns.map(({ speaker }) => speaker))]
  return turns.map((turn) => ({ ...turn, speaker: order.indexOf(turn.speaker) }))
}

/**
 * Clusters unit vectors by average-linkage agglomeration: the two most similar clusters merge while their mean cosine
 * similarity is at least `minSimilarity`. Pairs for which `cannotLink` is true never share a cluster. Returns clusters
 * from 0.
 */
export function clusterEmbeddings(
  vectors: readonly Float32Array[],
  {
    minSimilarity,
    cannotLink,
  }: {
    readonly minSimilarity: number
    readonly cannotLink: (one: number, other: number) => boolean
  },
): number[] {
  const count = vectors.length
  const similarities = Float64Array.from({ length: count * count }, (_, place) => {
    const [one, other] = [Math.floor(place / count), place % count]
    if (one === other || cannotLink(one, other)) return -Infinity
    return cosineSimilarity(vectors[one], vectors[other])
  })
  const sizes = vectors.map(() => 1)
  const groups = vectors.map((_, index) => index)
  const active = new Set(groups)
  const nearest = groups.map((row) => nearestCluster(row, { similarities, count, active }))
  for (;;) {
    const one = [...active].reduce<number | undefined>(
      (best, row) => (best === undefined || at(row) > at(best) ? row : best),
      undefined,
    )
    const other = one === undefined ? undefined : nearest[one]
    if (one === undefined || other === undefined || at(one) < minSimilarity) break
    merge(one, other)
  }
  const order = [...new Set(groups)]
  return groups.map((group) => order.indexOf(group))

  function at(row: number): number {
    const partner = nearest[row]
    return partner === undefined ? -Infinity : (similarities[row * count + partner] ?? -Infinity)
  }

  function merge(one: number, other: number): void {
    active.delete(other)
    for (const [index, group] of groups.entries()) if (group === other) groups[index] = one
    const [weight, otherWeight] = [sizes[one] ?? 1, sizes[other] ?? 1]
    sizes[one] = weight + otherWeight
    for (const row of active) {
      if (row === one) continue
      const both =
        (similarities[one * count + row] ?? 0) * weight +
        (similarities[other * count + row] ?? 0) * otherWeight
      similarities[one * count + row] = both / (weight + otherWeight)
      similarities[row * count + one] = both / (weight + otherWeight)
    }
    for (const row of active) {
      const isStale = row === one || nearest[row] === one || nearest[row] === other
      if (isStale || (similarities[row * count + one] ?? 0) > at(row))
        nearest[row] = nearestCluster(row, { similarities, count, active })
    }
  }
}

interface SimilarityMatrix {
  readonly similarities: Float64Array
  readonly count: number
  readonly active: ReadonlySet<number>
}

function nearestCluster(row: number, { similarities, count, active }: SimilarityMatrix): number | undefined {
  let best: number | undefined
  for (const other of active) {
    const value = similarities[row * count + other] ?? -Infinity
    if (value > (best === undefined ? -Infinity : (similarities[row * count + best] ?? 0))) best = other
  }
  return best
}

/** Cosine similarity of two unit vectors. */
function cosineSimilarity(one: Float32Array | undefined, other: Float32Array | undefined): number {
  let sum = 0
  for (const [index, value] of one?.entries() ?? []) sum += value * (other?.[index] ?? 0)
  return sum
}
