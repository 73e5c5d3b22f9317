import { joinContinuousClips } from './audio-tracks.ts'
import { clipTolerance, type TimelineClip } from './timeline.ts'

/** A cut at which two sounds overlap, in samples of the output. */
export interface Seam {
  readonly from: number
  readonly samples: number
}

/** A track whose clips overlap at its seams, divided into two. */
export interface CrossfadedTrack {
  /** The clips change the track at every seam. The first clip is on the first track. */
  readonly tracks: readonly [readonly TimelineClip[], readonly TimelineClip[]]
  /** In order, without overlaps. */
  readonly seams: readonly Seam[]
  /** Clips with borrowed sound before their start. */
  readonly extendedBefore: ReadonlySet<TimelineClip>
  /** Clips with borrowed sound after their end. */
  readonly extendedAfter: ReadonlySet<TimelineClip>
}

interface CrossfadedClipsOptions {
  /** Length of the crossfade between clips i and i + 1, ms. Missing ones are 0. */
  readonly lengthsMs: readonly number[]
  /** Returns the range of a material that has sound, seconds. */
  readonly soundOf: (material: string) => { readonly from: number; readonly to: number }
  /** Sample rate of the output, Hz. */
  readonly perSecond: number
}

/** Longest crossfade, ms. */
const maxCrossfadeMs = 500

/**
 * Extends adjacent clips of a sound track beyond their cut, half of the length of its crossfade on each side, with sound
 * that the cut left out. Cuts and length stay. A crossfade is shorter where a file has no more sound, and at most as long
 * as the shorter clip. Clips that continue each other are joined and have none.
 */
export function crossfadedClips(
  clips: readonly TimelineClip[],
  { lengthsMs, soundOf, perSecond }: CrossfadedClipsOptions,
): CrossfadedTrack {
  const joined = joinContinuousClips(
    clips.map((clip, index) => ({ ...clip, crossfadeMs: index === 0 ? 0 : (lengthsMs[index - 1] ?? 0) })),
  )
  const samplesIn = (seconds: number) => Math.max(0, Math.floor(seconds * perSecond + 1e-6))
  const halves = joined.map((next, index) => {
    const before = joined[index - 1]
    if (!before || Math.abs(next.track.from - before.track.to) > clipTolerance) return 0
    return Math.min(
      samplesIn(Math.min(maxCrossfadeMs, next.crossfadeMs) / 2000),
      samplesIn((soundOf(before.material).to - before.source.to) / before.speed),
      samplesIn((next.source.from - soundOf(next.material).from) / next.speed),
      ...[before, next].map(({ track }) => samplesIn((track.to - track.from) / 2)),
    )
  })
  const tracks: [TimelineClip[], TimelineClip[]] = [[], []]
  const seams: Seam[] = []
  const [extendedBefore, extendedAfter] = [new Set<TimelineClip>(), new Set<TimelineClip>()]
  for (const [index, { crossfadeMs: _length, ...clip }] of joined.entries()) {
    const [half = 0, nextHalf = 0] = [halves[index], halves[index + 1]]
    if (half > 0) seams.push({ from: Math.round(clip.track.from * perSecond) - half, samples: 2 * half })
    const extended = extendedClip(clip, { before: half, after: nextHalf, perSecond })
    if (half > 0) extendedBefore.add(extended)
    if (nextHalf > 0) extendedAfter.add(extended)
    tracks[seams.length % 2 === 0 ? 0 : 1].push(extended)
  }
  return { tracks, seams, extendedBefore, extendedAfter }
}

/** Returns a clip that starts and ends by numbers of samples earlier and later, at whole samples. */
function extendedClip(
  clip: TimelineClip,
  {
    before,
    after,
    perSecond,
  }: { readonly before: number; readonly after: number; readonly perSecond: number },
): TimelineClip {
  const { track, source, speed } = clip
  const from = before > 0 ? (Math.round(track.from * perSecond) - before) / perSecond : track.from
  const to = after > 0 ? (Math.round(track.to * perSecond) + after) / perSecond : track.to
  return {
    ...clip,
    track: { from, to },
    source: { from: source.from - (track.from - from) * speed, to: source.to + (to - track.to) * speed },
  }
}
