import type { IndexRange } from '../speech/align.ts'

/** Bits of an integer of JavaScript. */
const blockBits = 32

/** Computes edit distances between ranges of a sequence of units, 32 units in one operation (Myers 1999, Hyyrö 2003). */
export class EditDistances {
  /** Number of each unit of the sequence; equal units have equal numbers from 0. */
  readonly #units: Int32Array
  /** Index of the bits of each number, from 1; 0: the part does not contain it. */
  readonly #slots: Int32Array
  /** Bits of slot s, block b at `s * blocks + b`: the positions of its unit in the part. */
  #bits = new Int32Array()
  #differences = new Int32Array()
  #distances = new Int32Array()

  constructor(units: Int32Array) {
    this.#units = units
    this.#slots = new Int32Array(units.reduce((most, unit) => Math.max(most, unit), -1) + 1)
  }

  /**
   * Returns the edit distances, in units, of `part` from the parts of `text` that end before each position, `text.from` to
   * `text.to` (Sellers 1980). `skipCost`: of a unit before them, 0 or 1. The result is valid until the next call.
   */
  endDistances(part: IndexRange, text: IndexRange, skipCost: 0 | 1): Int32Array {
    const length = part.to - part.from
    const count = text.to - text.from + 1
    if (this.#distances.length < count) this.#distances = new Int32Array(2 * count)
    const distances = this.#distances.subarray(0, count)
    const blocks = Math.ceil(length / blockBits)
    this.#findPositions(part, blocks)
    // Differences of neighbouring rows: bits of those that are 1, then of those that are -1.
    if (this.#differences.length < 2 * blocks) this.#differences = new Int32Array(4 * blocks)
    this.#differences.fill(-1, 0, blocks).fill(0, blocks, 2 * blocks)
    let distance = length
    distances[0] = distance
    for (let at = 1; at < count; at += 1) {
      const slot = this.#slots[this.#units[text.from + at - 1] ?? 0] ?? 0
      distance += blocks === 0 ? skipCost : this.#addColumn(slot, { length, blocks, skipCost })
      distances[at] = distance
    }
    for (let at = part.from; at < part.to; at += 1) this.#slots[this.#units[at] ?? 0] = 0
    return distances
  }

  #findPositions({ from, to }: IndexRange, blocks: number): void {
    const size = (to - from + 1) * blocks
    if (this.#bits.length < size) this.#bits = new Int32Array(2 * size)
    const [bits, units, slots] = [this.#bits, this.#units, this.#slots]
    bits.fill(0, 0, blocks)
    let used = 0
    for (let at = from; at < to; at += 1) {
      const unit = units[at] ?? 0
      if (slots[unit] === 0) {
        used += 1
        slots[unit] = used
        bits.fill(0, used * blocks, (used + 1) * blocks)
      }
      const block = (slots[unit] ?? 0) * blocks + ((at - from) >> 5)
      bits[block] = (bits[block] ?? 0) | (1 << ((at - from) & 31))
    }
  }

  /** Passes on to the next unit of the text. Returns how much the distance of the whole part changes. */
  #addColumn(
    slot: number,
    {
      length,
      blocks,
      skipCost,
    }: { readonly length: number; readonly blocks: number; readonly skipCost: 0 | 1 },
  ): number {
    const [bits, differences] = [this.#bits, this.#differences]
    let change: number = skipCost
    for (let block = 0; block < blocks; block += 1) {
      const [up, down] = [differences[block] ?? 0, differences[blocks + block] ?? 0]
      const equal = bits[slot * blocks + block] ?? 0
      const vertical = equal | down
      const matched = change < 0 ? equal | 1 : equal
      const horizontal = (((matched & up) + up) ^ up) | matched
      let rise = down | ~(horizontal | up)
      let fall = up & horizontal
      const lastBit = block === blocks - 1 ? (length - 1) & 31 : 31
      const next = ((rise >>> lastBit) & 1) - ((fall >>> lastBit) & 1)
      rise = (rise << 1) | (change > 0 ? 1 : 0)
      fall = (fall << 1) | (change < 0 ? 1 : 0)
      differences[block] = fall | ~(vertical | rise)
      differences[blocks + block] = rise & vertical
      change = next
    }
    return change
  }
}
