import type { TextBox } from './box.ts'
import type { Luma } from './luma.ts'
import { begin, findElsewhere, follow, type Track } from './track.ts'

/** Samples that a text may miss, or be there by its letters' edges alone. */
const mostMissed = 2
const mostUnconfirmed = 3

/** Follows lines of text through samples of a video that come in order. */
export interface Tracker {
  /** Takes the next sample; answers the tracks that ended before it. */
  sample(given: { readonly frame: number; readonly luma: Luma; readonly boxes: readonly TextBox[] }): Track[]
  /** The tracks that go on. */
  readonly live: readonly Track[]
}

/** A tracker that has seen nothing yet. */
export function openTracker(): Tracker {
  let live: Track[] = []
  return {
    sample({ frame, luma, boxes }) {
      const free = new Set(boxes)
      for (const track of live) follow(track, { frame, luma, free })
      for (const track of live.filter(({ missed }) => missed > 0)) findElsewhere(track, { frame, luma, free })
      const ended = live.filter((track) => track.missed > mostMissed || track.unconfirmed > mostUnconfirmed)
      live = live.filter((track) => !ended.includes(track))
      for (const box of free) live.push(begin({ frame, luma, box }))
      return ended
    },
    get live() {
      return live
    },
  }
}
