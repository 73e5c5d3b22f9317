import type { TextBox } from '../../media/text/box.ts'
import { beginningOf, endingOf, type End } from '../../media/text/ends.ts'
import type { LumaRing } from '../../media/text/luma-ring.ts'
import type { Grid } from '../../media/text/regions.ts'
import { textOf, type Candidate } from '../../media/text/text.ts'
import type { Track } from '../../media/text/track.ts'
import { openTracker } from '../../media/text/tracker.ts'

/** Samples of a text after which its beginning is looked for, so that it has come whole. */
const samplesToBegin = 3

interface Following {
  readonly picture: Pick<Grid, 'width' | 'height'>
  readonly reach: number
  readonly onText: (text: Candidate) => void
}

/** Follows the texts of samples that come in order, and tells of each once it is over and its ends are known. */
export function openFollower(ring: LumaRing, { picture, reach: frames, onText }: Following) {
  const tracker = openTracker()
  const beginnings = new Map<Track, End>()
  const begin = (track: Track) => {
    const known = beginnings.get(track) ?? beginningOf(track, ring, frames)
    beginnings.set(track, known)
    return known
  }
  const finish = (track: Track) => {
    onText(textOf(track, { beginning: begin(track), ending: endingOf(track, ring, frames), picture }))
    beginnings.delete(track)
  }
  return {
    sample(frame: number, boxes: readonly TextBox[]) {
      const luma = ring.at(frame)
      if (!luma) return
      for (const track of tracker.sample({ frame, luma, boxes })) finish(track)
      for (const track of tracker.live) if (track.sightings.length >= samplesToBegin) begin(track)
    },
    end() {
      for (const track of tracker.live) finish(track)
    },
  }
}
