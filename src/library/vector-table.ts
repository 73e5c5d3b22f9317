import { createDotProducts, dimensions } from './dot-products.ts'

/** A vector in the table: which material, and which of its pictures. */
export interface VectorKey {
  readonly id: number
  readonly part: number
}

/** A key with an approximate cosine, -1 to 1. */
export interface ScannedVector extends VectorKey {
  readonly cosine: number
}

/** Bound of the error of a cosine. */
export const scanError = 0.01

/** Vectors whose products are computed at once. */
const blockSize = 4096

/** Positions in the memory, bytes: the query, then the products of a block, then the vectors. */
const productsAt = dimensions
const vectorsAt = productsAt + 4 * blockSize

const pageBytes = 64 * 1024

/**
 * Vectors of materials as int8 with a scale each: 1 KiB per vector. Scanning finds the nearest ones approximately; the cosine
 * is off by less than `scanError`. Callers compute the exact cosine of those.
 */
export class VectorTable {
  readonly #products = createDotProducts()
  readonly #keys: VectorKey[] = []
  readonly #scales: number[] = []
  /** Positions of the vectors of each material. */
  readonly #positions = new Map<number, number[]>()

  get size(): number {
    return this.#keys.length
  }

  /** Adds a vector of length 1. */
  add(key: VectorKey, values: Float32Array): void {
    const position = this.#keys.length
    this.#reserve(position + 1)
    this.#scales.push(this.#write(vectorsAt + position * dimensions, values))
    this.#keys.push(key)
    const own = this.#positions.get(key.id)
    if (own) own.push(position)
    else this.#positions.set(key.id, [position])
  }

  /** Removes all vectors of a material. */
  remove(id: number): void {
    // The last vector takes the freed position, so the highest goes first.
    for (const position of (this.#positions.get(id) ?? []).toSorted((one, other) => other - one))
      this.#removeAt(position)
    this.#positions.delete(id)
  }

  /** Returns the vectors that are nearest to a query of length 1, best first. */
  nearest(query: Float32Array, limit: number): ScannedVector[] {
    const best = new TopScores(limit)
    this.#scan(query, (position, cosine) => best.offer(position, cosine))
    return best.sorted().map(({ position, score }) => this.#scanned(position, score))
  }

  /** Returns the approximate cosines of the vectors of some materials. */
  cosines(query: Float32Array, ids: Iterable<number>): ScannedVector[] {
    const scale = this.#write(0, query)
    const memory = new Int8Array(this.#products.memory.buffer)
    return [...ids].flatMap((id) =>
      (this.#positions.get(id) ?? []).map((position) => {
        const at = vectorsAt + position * dimensions
        let sum = 0
        for (let index = 0; index < dimensions; index += 1)
          sum += (memory[index] ?? 0) * (memory[at + index] ?? 0)
        return this.#scanned(position, sum * scale * (this.#scales[position] ?? 0))
      }),
    )
  }

  #scanned(position: number, cosine: number): ScannedVector {
    const { id, part } = this.#keys[position] ?? { id: 0, part: 0 }
    return { id, part, cosine }
  }

  #scan(query: Float32Array, visit: (position: number, cosine: number) => void): void {
    const scale = this.#write(0, query)
    const products = new Int32Array(this.#products.memory.buffer, productsAt, blockSize)
    for (let first = 0; first < this.size; first += blockSize) {
      const count = Math.min(blockSize, this.size - first)
      this.#products.scan(0, vectorsAt + first * dimensions, count, productsAt)
      for (let index = 0; index < count; index += 1) {
        const position = first + index
        visit(position, (products[index] ?? 0) * scale * (this.#scales[position] ?? 0))
      }
    }
  }

  /** Writes a vector as int8. Returns the scale that restores it. */
  #write(at: number, values: Float32Array): number {
    const target = new Int8Array(this.#products.memory.buffer, at, dimensions)
    let largest = 0
    for (const value of values) largest = Math.max(largest, Math.abs(value))
    const scale = largest / 127 || 1
    for (let index = 0; index < dimensions; index += 1)
      target[index] = Math.round((values[index] ?? 0) / scale)
    return scale
  }

  #reserve(vectors: number): void {
    const { memory } = this.#products
    const missing = vectorsAt + vectors * dimensions - memory.buffer.byteLength
    // 1024 vectors at once.
    if (missing > 0) memory.grow(Math.max(16, Math.ceil(missing / pageBytes)))
  }

  #removeAt(position: number): void {
    const last = this.#keys.length - 1
    const [key, scale] = [this.#keys.pop(), this.#scales.pop()]
    if (position === last || !key || scale === undefined) return
    const memory = new Int8Array(this.#products.memory.buffer)
    const from = vectorsAt + last * dimensions
    memory.copyWithin(vectorsAt + position * dimensions, from, from + dimensions)
    this.#keys[position] = key
    this.#scales[position] = scale
    const own = this.#positions.get(key.id) ?? []
    own[own.indexOf(last)] = position
  }
}

interface ScoredPosition {
  readonly position: number
  readonly score: number
}

/** The highest of many scores, in a heap with the lowest of them first. */
class TopScores {
  readonly #limit: number
  readonly #heap: ScoredPosition[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  offer(position: number, score: number): void {
    if (this.#heap.length < this.#limit) {
      this.#heap.push({ position, score })
      this.#rise(this.#heap.length - 1)
    } else if (score > (this.#heap[0]?.score ?? Infinity)) {
      this.#heap[0] = { position, score }
      this.#sink()
    }
  }

  sorted(): ScoredPosition[] {
    return this.#heap.toSorted((one, other) => other.score - one.score || one.position - other.position)
  }

  #score(at: number): number {
    return this.#heap[at]?.score ?? Infinity
  }

  #swap(one: number, other: number): void {
    const [first, second] = [this.#heap[one], this.#heap[other]]
    if (first && second) [this.#heap[one], this.#heap[other]] = [second, first]
  }

  #rise(from: number): void {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1
      if (this.#score(parent) <= this.#score(at)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  #sink(): void {
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      const lowest = this.#score(right) < this.#score(left) ? right : left
      if (this.#score(lowest) >= this.#score(at)) return
      this.#swap(at, lowest)
      at = lowest
    }
  }
}
