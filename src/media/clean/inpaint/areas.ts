import type { Patch, PatchesAt } from '../patch.ts'
import { ringOf } from './cells.ts'
import { framesOf, type Film } from './film.ts'
import { around, grown, type Rect } from './masks.ts'

/** Time by which what is kept of a frame may serve another, in ticks: 12 s. */
export const reach = 300

/** Frames that are looked at together. */
const block = 32

/** What of a frame other frames may need: patches that are near in time, and what lies around them. */
export class Areas {
  readonly #patchesAt: PatchesAt
  readonly #film: Film
  readonly #reach: number
  readonly #least: number
  #of = -1
  #areas: readonly Rect[] = []

  constructor(patchesAt: PatchesAt, film: Film) {
    this.#patchesAt = patchesAt
    this.#film = film
    this.#reach = framesOf(film, reach)
    this.#least = Math.max(32, Math.round(Math.max(film.width, film.height) / 24), ringOf(film))
  }

  /** Rectangles of a frame that are to be kept. */
  at(frame: number): readonly Rect[] {
    const turn = Math.floor(frame / block)
    if (turn !== this.#of) {
      this.#of = turn
      this.#areas = merged(this.#around(turn * block))
    }
    return this.#areas
  }

  /** Background that a patch hides is seen beside it soon, so that half as much to each side is enough. */
  *#around(first: number): Generator<Rect> {
    let last: readonly Patch[] | undefined
    for (let frame = Math.max(0, first - this.#reach); frame < first + block + this.#reach; frame += 1) {
      const patches = this.#patchesAt(frame)
      if (patches === last) continue
      last = patches
      for (const patch of patches) {
        const by = {
          x: Math.max(this.#least, patch.width / 2),
          y: Math.max(this.#least, Math.min(patch.height, patch.width / 2)),
        }
        yield grown(patch, by, this.#film)
      }
    }
  }
}

/** Rectangles that overlap much become one. */
function merged(rects: Iterable<Rect>): readonly Rect[] {
  const kept: Rect[] = []
  for (const rect of rects) {
    let whole = rect
    for (let index = 0; index < kept.length; index += 1) {
      const other = kept[index]
      if (!other) continue
      const both = around(whole, other)
      if (areaOf(both) > 1.1 * Math.max(areaOf(whole), areaOf(other), (areaOf(whole) + areaOf(other)) * 0.9))
        continue
      whole = both
      kept.splice(index, 1)
      index = -1
    }
    kept.push(whole)
  }
  return kept
}

function areaOf({ width, height }: Rect): number {
  return width * height
}
