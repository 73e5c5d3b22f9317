import { open } from 'node:fs/promises'
import { createHasher, type Hasher } from '../platform/hash.ts'
import type { PartRange } from './store.ts'

/** Read size, bytes. */
const hashReadBytes = 2 ** 20

/**
 * Computes the BLAKE3 of a file whose parts arrive in any order, as far as it has no gaps. A part is read back as
 * soon as all earlier parts are hashed, usually from the page cache, so little remains to be read after the last
 * part. A part can also be hashed from memory while it is written.
 */
export class PrefixHasher {
  readonly #path: string
  /** End positions of stored parts by start position. */
  readonly #ends = new Map<number, number>()
  #hasher: Hasher | null = null
  /** Number of bytes hashed so far. */
  #at = 0
  /** End of the range being hashed. */
  #until = 0
  #digest: string | null = null
  #work: Promise<unknown> = Promise.resolve()

  constructor(path: string) {
    this.#path = path
  }

  /** Marks a part as stored. */
  stored({ offset, size }: PartRange): void {
    this.#ends.set(offset, offset + size)
    // A read error here is retried or reported by `digest`.
    this.#work = this.#work.then(() => this.#follow()).catch(() => undefined)
  }

  /** Marks a part as about to be overwritten, and discards its hash. */
  changing({ offset }: PartRange): void {
    this.#ends.delete(offset)
    this.#digest = null
    if (offset < this.#until) this.#restart()
  }

  /**
   * Returns a function that hashes the bytes of a part, in order, while they are written; null unless all earlier
   * parts are hashed. Call it after `changing`, for one part at a time. If the part fails, call `changing` again.
   */
  whileWriting({ offset, size }: PartRange): Promise<((bytes: Uint8Array) => void) | null> {
    const prepared = this.#work.then(async () => {
      const hasher = (this.#hasher ??= await createHasher())
      if (this.#at !== offset) return null
      this.#until = offset + size
      return (bytes: Uint8Array): void => {
        if (hasher !== this.#hasher) return
        hasher.update(bytes)
        this.#at += bytes.byteLength
      }
    })
    this.#work = prepared.catch(() => undefined)
    return prepared
  }

  /** Hashes the rest of the file of this size and returns lower-case hex. No part may change meanwhile. */
  digest(size: number): Promise<string> {
    const digest = this.#work.then(() => this.#finish(size))
    this.#work = digest.catch(() => undefined)
    return digest
  }

  #restart(): void {
    this.#hasher = null
    this.#at = 0
    this.#until = 0
  }

  async #follow(): Promise<void> {
    for (;;) {
      const hasher = (this.#hasher ??= await createHasher())
      const end = this.#ends.get(this.#at)
      if (end === undefined) return
      await this.#hashTo(end, hasher)
    }
  }

  async #finish(size: number): Promise<string> {
    if (this.#digest !== null) return this.#digest
    const hasher = (this.#hasher ??= await createHasher())
    await this.#hashTo(size, hasher)
    if (hasher !== this.#hasher) throw new Error('a part changed while the file was being hashed')
    this.#digest = hasher.digest()
    this.#restart()
    return this.#digest
  }

  /** Hashes up to a position. Stops when a hashed part is changed. */
  async #hashTo(end: number, hasher: Hasher): Promise<void> {
    this.#until = end
    await using file = await open(this.#path)
    const buffer = Buffer.allocUnsafe(Math.min(hashReadBytes, end - this.#at))
    while (this.#at < end) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - this.#at), this.#at)
      if (hasher !== this.#hasher) return
      if (bytesRead === 0) throw new Error(`${this.#path} ends at ${this.#at}, before ${end}`)
      hasher.update(buffer.subarray(0, bytesRead))
      this.#at += bytesRead
    }
  }
}
