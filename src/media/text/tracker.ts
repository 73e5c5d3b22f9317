import type { TextBox } from './box.ts'
import type { Luma } from './luma.ts'
import { startTrack, findMovedText, followTrack, type TextTrack } from './track.ts'

/** Samples that a text may miss, or be there by its letters' edges alone. */
const maxMissed = 2
const maxUnconfirmed = 3

/** Follows lines of text through samples of a video that come in order. */
export interface TextTracker {
  /** Takes the next sample; answers the tracks that ended before it. */
  addSample(given: {
    readonly frame: number
    readonly luma: Luma
    readonly boxes: readonly TextBox[]
  }): TextTrack[]
  /** The tracks that go on. */
  readonly live: readonly TextTrack[]
}

/** A tracker that has seen nothing yet. */
export function createTextTracker(): TextTracker {
  let live: TextTrack[] = []
  return {
    addSample({ frame, luma, boxes }) {
      const free = new Set(boxes)
      for (const track of live) followTrack(track, { frame, luma, free })
      for (const track of live.filter(({ missed }) => missed > 0)) findMovedText(track, { frame, luma, free })
      const ended = live.filter((track) => track.missed > maxMissed || track.unconfirmed > maxUnconfirmed)
      live = live.filter((track) => !ended.includes(track))
      for (const box of free) live.push(startTrack({ frame, luma, box }))
      return ended
    },
    get live() {
      return live
    },
  }
}
