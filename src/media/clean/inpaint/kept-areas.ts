import type { Patch, PatchesAt } from '../frame.ts'
import { ringMargin } from './cell-grid.ts'
import { ticksToFrames, type FrameFormat } from './timebase.ts'
import { growRect } from './hidden-mask.ts'
import { uniteRects, type Rect } from '../../geometry.ts'

/** How long a view can serve other frames, in ticks: 12 s. */
export const historyTicks = 300

/** Number of frames for which areas are computed together. */
const blockFrames = 32

/** Consecutive frames with the same patches, and the areas around these. */
interface PatchInterval {
  last: number
  readonly rects: readonly Rect[]
}

/**
 * Determines which areas of a frame other frames may need: surroundings of patches near in time. Frames are queried in
 * order; the patches of each frame are requested once.
 */
export class KeptAreas {
  readonly #patchesAt: PatchesAt
  readonly #format: FrameFormat
  readonly #reach: number
  readonly #minMargin: number
  readonly #intervals: PatchInterval[] = []
  #patches: readonly Patch[] | undefined
  /** First frame not yet considered. */
  #next = 0
  #block = -1
  #areas: readonly Rect[] = []

  constructor(patchesAt: PatchesAt, format: FrameFormat) {
    this.#patchesAt = patchesAt
    this.#format = format
    this.#reach = ticksToFrames(format, historyTicks)
    this.#minMargin = Math.max(32, Math.round(Math.max(format.width, format.height) / 24), ringMargin(format))
  }

  /** Returns the areas of a frame to keep. */
  at(frame: number): readonly Rect[] {
    const block = Math.floor(frame / blockFrames)
    if (block !== this.#block) {
      this.#block = block
      this.#moveTo(block * blockFrames)
      this.#areas = mergeRects(this.#intervals.flatMap(({ rects }) => rects))
    }
    return this.#areas
  }

  #moveTo(first: number): void {
    const from = Math.max(0, first - this.#reach)
    const end = first + blockFrames + this.#reach
    for (let frame = Math.max(from, this.#next); frame < end; frame += 1) {
      const patches = this.#patchesAt(frame)
      const latest = this.#intervals.at(-1)
      if (latest && patches === this.#patches) latest.last = frame
      else this.#intervals.push({ last: frame, rects: patches.map((patch) => this.#around(patch)) })
      this.#patches = patches
    }
    this.#next = end
    const expiredCount = this.#intervals.findIndex(({ last }) => last >= from)
    this.#intervals.splice(0, expiredCount)
  }

  /** Half the patch size to each side suffices: hidden background soon appears beside the patch. */
  #around(patch: Patch): Rect {
    const margin = {
      x: Math.max(this.#minMargin, patch.width / 2),
      y: Math.max(this.#minMargin, Math.min(patch.height, patch.width / 2)),
    }
    return growRect(patch, margin, this.#format)
  }
}

/** Merges rectangles that overlap so much that their union is hardly larger. */
function mergeRects(rects: readonly Rect[]): readonly Rect[] {
  const kept: Rect[] = []
  for (const rect of rects) {
    let whole = rect
    for (let index = 0; index < kept.length; index += 1) {
      const other = kept[index]
      if (!other) continue
      const both = uniteRects(whole, other)
      if (
        rectArea(both) >
        1.1 * Math.max(rectArea(whole), rectArea(other), (rectArea(whole) + rectArea(other)) * 0.9)
      )
        continue
      whole = both
      kept.splice(index, 1)
      index = -1
    }
    kept.push(whole)
  }
  return kept
}

function rectArea({ width, height }: Rect): number {
  return width * height
}
