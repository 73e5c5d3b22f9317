import { clipTolerance, type TimelineClip } from './timeline.ts'

/**
 * Distributes the clips of all tracks to the minimum number of tracks without overlaps. Each clip is added to
 * the free track that ended most recently, so that adjacent clips stay together.
 */
export function packAudioTracks(tracks: readonly (readonly TimelineClip[])[]): TimelineClip[][] {
  const packed: { end: number; readonly clips: TimelineClip[] }[] = []
  for (const clip of tracks.flat().toSorted((one, other) => one.track.from - other.track.from)) {
    const [first, ...others] = packed.filter(({ end }) => end - clipTolerance <= clip.track.from)
    if (!first) {
      packed.push({ end: clip.track.to, clips: [clip] })
      continue
    }
    const track = others.reduce((latest, free) => (free.end > latest.end ? free : latest), first)
    track.clips.push(clip)
    track.end = Math.max(track.end, clip.track.to)
  }
  return packed.map(({ clips }) => clips)
}

/**
 * Joins consecutive clips of a track that continue each other in the same source, with the same settings. The joined clip
 * keeps the position and the request path of the first. Times may be off by `clipTolerance`.
 */
export function joinContinuousClips<Clip extends TimelineClip>(clips: readonly Clip[]): Clip[] {
  return clips.reduce<Clip[]>((joined, clip) => {
    const last = joined.at(-1)
    if (!last || !isContinuation(last, clip)) return [...joined, clip]
    const source = { from: last.source.from, to: clip.source.to }
    const track = { from: last.track.from, to: clip.track.to }
    return [...joined.slice(0, -1), { ...last, source, track }]
  }, [])
}

function isContinuation(last: TimelineClip, next: TimelineClip): boolean {
  const sourceTime = last.source.from + (next.track.from - last.track.from) * last.speed
  return (
    next.material === last.material &&
    next.speed === last.speed &&
    next.keepPitch === last.keepPitch &&
    next.volume === last.volume &&
    Math.abs(next.track.from - last.track.to) <= clipTolerance &&
    Math.abs(next.source.from - sourceTime) <= clipTolerance
  )
}

/** Two sample rates whose ratio changes speed and pitch of a sound, as with a tape. */
interface VarispeedRates {
  /** Rate to which the sound is resampled, Hz. */
  readonly from: number
  /** Rate as which the resampled sound is then interpreted, Hz. */
  readonly to: number
}

/** Maximum relative error of a speed: slightly less than one millisecond per hour. */
const speedTolerance = 0.9e-3 / 3600

/**
 * Returns integer sample rates whose ratio `to / from` is the speed. Speeds with up to three decimals are exact at
 * 48 kHz. Other speeds are off by less than a millisecond per hour, with rates up to 96 kHz unless the speed is
 * nearly a simple fraction. speed: a positive factor. Method: convergents of the continued fraction.
 */
export function varispeedRates(speed: number): VarispeedRates {
  const relativeError = ({ from, to }: VarispeedRates) => Math.abs(to / from / speed - 1)
  const exact = { from: 48_000, to: Math.round(48_000 * speed) }
  if (relativeError(exact) < 1e-12) return exact
  // Each convergent is closer to the speed than any fraction of smaller numbers.
  let previous: VarispeedRates = { from: 0, to: 1 }
  let convergent: VarispeedRates = { from: 1, to: Math.floor(speed) }
  let remainder = speed - convergent.to
  while (relativeError(convergent) > speedTolerance) {
    const term = Math.floor(1 / remainder)
    remainder = 1 / remainder - term
    const next = {
      from: term * convergent.from + previous.from,
      to: term * convergent.to + previous.to,
    }
    previous = convergent
    convergent = next
  }
  const multiple = Math.ceil(48_000 / convergent.from)
  return { from: multiple * convergent.from, to: multiple * convergent.to }
}
