import { bytesOf, sharedOf, type View } from './view.ts'

/** Ticks from one view to the next from which on it is no worse to be without one. */
const widest = 32

/** Views of frames before and after the one that is treated, in order, within a bound of bytes. */
export class History {
  readonly #most: number
  /** How many of the views hold what they share. */
  readonly #holders = new Map<Uint8Array, number>()
  #bytes = 0
  #views: View[] = []

  constructor(most: number) {
    this.#most = most
  }

  /** All there are, by rising frame. */
  get views(): readonly View[] {
    return this.#views
  }

  /** Bytes that all of them hold. */
  get bytes(): number {
    return this.#bytes
  }

  /** Takes the next one; those that serve the frame that shows `now` least give way. */
  add(view: View, now: number): void {
    this.#views.push(view)
    this.#bytes += bytesOf(view)
    for (const shared of sharedOf(view)) {
      const holders = this.#holders.get(shared) ?? 0
      if (holders === 0) this.#bytes += shared.length
      this.#holders.set(shared, holders + 1)
    }
    while (this.#bytes > this.#most && this.#views.length > 4) this.#dropLeastOf(now)
  }

  /** Forgets what shows before a shot or a time. */
  forget(shot: number, before: number): void {
    while (this.#views[0] && (this.#views[0].shot < shot || this.#views[0].time < before)) {
      this.#release(this.#views.shift())
    }
  }

  /** Close neighbours far from now are worth least, those beside which patches change or trust ends are worth more. */
  #dropLeastOf(now: number): void {
    const views = this.#views
    let [least, place] = [Infinity, 1]
    for (let at = 1; at + 1 < views.length; at += 1) {
      const [before, view, after] = [views[at - 1], views[at], views[at + 1]]
      if (!before || !view || !after || view.time === now) continue
      const isEdge = isBesideEdge(view, before) || isBesideEdge(view, after)
      const gap = Math.min(widest, after.time - before.time)
      const worth = (gap / (Math.abs(view.time - now) + 8)) * (isEdge ? 4 : 1)
      if (worth < least) [least, place] = [worth, at]
    }
    this.#release(...views.splice(place, 1))
  }

  #release(view?: View): void {
    if (!view) return
    this.#bytes -= bytesOf(view)
    for (const shared of sharedOf(view)) {
      const holders = (this.#holders.get(shared) ?? 1) - 1
      if (holders > 0) {
        this.#holders.set(shared, holders)
        continue
      }
      this.#holders.delete(shared)
      this.#bytes -= shared.length
    }
  }
}

function isBesideEdge(view: View, neighbour: View): boolean {
  return view.patches !== neighbour.patches || (view.trust === 1 && neighbour.trust < 1)
}
