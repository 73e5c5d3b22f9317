import type { Clock } from '../../src/platform/clock.ts'

/** A clock moved by hand that lets checks finish after each due call. */
export class ManualClock implements Clock {
  #now = 1_000_000
  #due: { at: number; call: () => void }[] = []

  now(): number {
    return this.#now
  }

  after(ms: number, call: () => void): () => void {
    const entry = { at: this.#now + ms, call }
    this.#due.push(entry)
    return () => void (this.#due = this.#due.filter((other) => other !== entry))
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    for (;;) {
      const [next] = this.#due.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)
      if (!next) break
      this.#due = this.#due.filter((other) => other !== next)
      this.#now = next.at
      next.call()
      await new Promise(setImmediate)
    }
    this.#now = end
  }

  get pendingCount(): number {
    return this.#due.length
  }
}
