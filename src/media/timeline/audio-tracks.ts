import { clipTolerance, type TimelineClip } from './timeline.ts'

/**
 * Distributes the clips of all tracks to the minimum number of tracks without overlaps. A clip is added to
 * the track that ends last before it, so that adjacent clips stay together.
 */
export function packAudioTracks(tracks: readonly (readonly TimelineClip[])[]): TimelineClip[][] {
  const lanes: { end: number; readonly clips: TimelineClip[] }[] = []
  for (const clip of tracks.flat().toSorted((one, other) => one.track.from - other.track.from)) {
    const free = lanes.filter(({ end }) => end - clipTolerance <= clip.track.from)
    const [first, ...others] = free
    if (!first) {
      lanes.push({ end: clip.track.to, clips: [clip] })
      continue
    }
    const lane = others.reduce((last, one) => (one.end > last.end ? one : last), first)
    lane.clips.push(clip)
    lane.end = Math.max(lane.end, clip.track.to)
  }
  return lanes.map(({ clips }) => clips)
}

/** Two sample rates whose ratio changes speed and pitch of a sound. */
interface VarispeedRates {
  /** Rate to which the sound is resampled, Hz. */
  readonly from: number
  /** Rate as which the resampled sound is then interpreted, Hz. */
  readonly to: number
}

/** Relative tolerance: slightly less than one millisecond per hour. */
const speedTolerance = 0.9e-3 / 3600

/**
 * Returns integer sample rates whose ratio is the speed. Speeds with up to three decimals are exact at 48
 * kHz. Other speeds are off by less than a millisecond per hour, with rates up to 96 kHz unless the speed is
 * nearly a simple fraction.
 */
export function varispeedRates(speed: number): VarispeedRates {
  const off = ({ from, to }: VarispeedRates) => Math.abs(to / from / speed - 1)
  const plain = { from: 48_000, to: Math.round(48_000 * speed) }
  if (off(plain) < 1e-12) return plain
  // Convergents of the continued fraction of the speed. Each is closer than any fraction of smaller numbers.
  let last: VarispeedRates = { from: 0, to: 1 }
  let found: VarispeedRates = { from: 1, to: Math.floor(speed) }
  let rest = speed - found.to
  while (off(found) > speedTolerance) {
    const whole = Math.floor(1 / rest)
    rest = 1 / rest - whole
    const next = { from: whole * found.from + last.from, to: whole * found.to + last.to }
    last = found
    found = next
  }
  const times = Math.ceil(48_000 / found.from)
  return { from: times * found.from, to: times * found.to }
}
