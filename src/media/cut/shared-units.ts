import type { IndexRange } from '../speech/align.ts'

/** Counts the units that two successive ranges of a sequence share. Both ranges only move forward. */
export class SharedUnits {
  readonly #units: Int32Array
  /** Occurrences of each unit in both ranges. */
  readonly #counts: readonly [Int32Array, Int32Array]
  #part: IndexRange = { from: 0, to: 0 }
  #end = 0
  #shared = 0

  /** `units`: the number of each unit; equal units have equal numbers from 0. */
  constructor(units: Int32Array) {
    const size = units.reduce((most, unit) => Math.max(most, unit), -1) + 1
    this.#units = units
    this.#counts = [new Int32Array(size), new Int32Array(size)]
  }

  /** Starts again with empty ranges. */
  reset(from: number): void {
    const [part, after] = this.#counts
    for (let at = this.#part.from; at < this.#end; at += 1) {
      const unit = this.#units[at] ?? 0
      part[unit] = 0
      after[unit] = 0
    }
    this.#part = { from, to: from }
    this.#end = from
    this.#shared = 0
  }

  /**
   * Moves the end of the first range to `to`, and that of the second one, which begins there, to `end`. Returns the number
   * of units in both ranges; each occurrence counts once.
   */
  extend(to: number, end: number): number {
    const [part, after] = this.#counts
    for (; this.#end < end; this.#end += 1) this.#add(after, part, this.#end)
    for (let at = this.#part.to; at < to; at += 1) {
      const unit = this.#units[at] ?? 0
      if ((after[unit] ?? 0) <= (part[unit] ?? 0)) this.#shared -= 1
      after[unit] = (after[unit] ?? 0) - 1
      this.#add(part, after, at)
    }
    this.#part = { from: this.#part.from, to }
    return this.#shared
  }

  #add(counts: Int32Array, others: Int32Array, at: number): void {
    const unit = this.#units[at] ?? 0
    const count = (counts[unit] ?? 0) + 1
    counts[unit] = count
    if (count <= (others[unit] ?? 0)) this.#shared += 1
  }
}
