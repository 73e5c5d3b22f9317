import { bytesOf, type View } from './view.ts'

/** Frames from one view to the next from which on it is no worse to be without one. */
const widest = 32

/** Views of frames before and after the one that is treated, in order, within a bound of bytes. */
export class History {
  readonly #most: number
  #bytes = 0
  #views: View[] = []

  constructor(most: number) {
    this.#most = most
  }

  /** All there are, by rising frame. */
  get views(): readonly View[] {
    return this.#views
  }

  /** Takes the next one; those that serve the frame `now` least give way. */
  add(view: View, now: number): void {
    this.#views.push(view)
    this.#bytes += bytesOf(view)
    while (this.#bytes > this.#most && this.#views.length > 4) this.#dropLeastOf(now)
  }

  /** Forgets what no frame of a shot, from `now` on, can use. */
  forget(shot: number, before: number): void {
    while (this.#views[0] && (this.#views[0].shot < shot || this.#views[0].index < before)) {
      const first = this.#views.shift()
      if (first) this.#bytes -= bytesOf(first)
    }
  }

  /** Close neighbours far from now are worth least, those beside which patches change are worth more. */
  #dropLeastOf(now: number): void {
    const views = this.#views
    let [least, place] = [Infinity, 1]
    for (let at = 1; at + 1 < views.length; at += 1) {
      const [before, view, after] = [views[at - 1], views[at], views[at + 1]]
      if (!before || !view || !after || view.index === now) continue
      const isEdge = before.patches !== view.patches || after.patches !== view.patches
      const gap = Math.min(widest, after.index - before.index)
      const worth = (gap / (Math.abs(view.index - now) + 8)) * (isEdge ? 4 : 1)
      if (worth < least) [least, place] = [worth, at]
    }
    const [dropped] = views.splice(place, 1)
    if (dropped) this.#bytes -= bytesOf(dropped)
  }
}
