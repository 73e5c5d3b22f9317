import { clipTolerance } from './timeline.ts'
import type { TimelineClip } from './timeline.ts'

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
