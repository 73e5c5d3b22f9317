import { open } from 'node:fs/promises'
import { createHasher, type Hasher } from '../platform/hash.ts'
import type { PartRange } from './store.ts'

/** Bytes of one read. */
const hashReadBytes = 2 ** 20

/**
 * The BLAKE3 of a file whose parts come in any order, computed as far as they lie without a gap. A part
 * is read back as soon as those before it are hashed, while the system still holds it in memory: when
 * the last one has come, little is left to be read.
 */
export class PrefixHasher {
  readonly #path: string
  /** Where parts that are in place end, by where they begin. */
  readonly #ends = new Map<number, number>()
  #hasher: Hasher | null = null
  /** Bytes hashed so far. */
  #at = 0
  /** End of what is being hashed. */
  #until = 0
  #digest: string | null = null
  #work: Promise<unknown> = Promise.resolve()

  constructor(path: string) {
    this.#path = path
  }

  /** A part is in place. */
  stored({ offset, size }: PartRange): void {
    this.#ends.set(offset, offset + size)
    // What cannot be read now is read, or told, by `digest`.
    this.#work = this.#work.then(() => this.#follow()).catch(() => undefined)
  }

  /** A part is about to be overwritten; what was hashed of it does not count. */
  changing({ offset }: PartRange): void {
    this.#ends.delete(offset)
    this.#digest = null
    if (offset < this.#until) this.#restart()
  }

  /** Hashes what is left of the whole file of so many bytes, while no part changes; lower-case hex. */
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
    if (hasher !== this.#hasher) throw new Error('a part changed while the whole was hashed')
    this.#digest = hasher.digest()
    this.#restart()
    return this.#digest
  }

  /** Hashes on to a place; gives up when what it hashes is changed meanwhile. */
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
