import type { TextBox } from '../../media/text/box.ts'
import { findBeginning, findEnding, type TextEnd } from '../../media/text/onset.ts'
import type { LumaRing } from '../../media/text/luma.ts'
import type { PixelGrid } from '../../media/text/regions.ts'
import { createCandidate, type TextCandidate } from '../../media/text/found-text.ts'
import { createTextTracker, type TextTrack } from '../../media/text/detections.ts'

/** Samples of a text after which its beginning is looked for, so that it has come whole. */
const samplesToBegin = 3

interface Following {
  readonly picture: Pick<PixelGrid, 'width' | 'height'>
  readonly reach: number
  readonly onText: (text: TextCandidate) => void
}

/** Follows the texts of samples that come in order, and tells of each once it is over and its ends are known. */
export function openFollower(ring: LumaRing, { picture, reach: frames, onText }: Following) {
  const tracker = createTextTracker()
  const beginnings = new Map<TextTrack, TextEnd>()
  const begin = (track: TextTrack) => {
    const known = beginnings.get(track) ?? findBeginning(track, ring, frames)
    beginnings.set(track, known)
    return known
  }
  const finish = (track: TextTrack) => {
    onText(
      createCandidate(track, { beginning: begin(track), ending: findEnding(track, ring, frames), picture }),
    )
    beginnings.delete(track)
  }
  return {
    sample(frame: number, boxes: readonly TextBox[]) {
      const luma = ring.at(frame)
      if (!luma) return
      for (const track of tracker.addSample({ frame, luma, boxes })) finish(track)
      for (const track of tracker.live) if (track.detections.length >= samplesToBegin) begin(track)
    },
    end() {
      for (const track of tracker.live) finish(track)
    },
  }
}
