import { constants } from 'node:fs'
import { chmod, copyFile, link, mkdir, open, opendir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { syncFolder } from '../platform/durable.ts'
import { sharedSync } from '../platform/shared-sync.ts'
import { orFull } from './disk-full.ts'
import { HashFrontier } from './hash-frontier.ts'
import type { ComingPart, StoredBytes, Whole } from './store.ts'
import { writePart, type SharedFile } from './write-part.ts'

/** An upload of which parts came since this process began. */
interface Known extends SharedFile {
  /** Its file has a name that survives a power cut. */
  readonly named: Promise<void>
}

/**
 * Parts of unfinished files in a folder: all parts of an upload go into one sparse file, each to its place,
 * so that finishing copies nothing.
 */
export class DiskParts {
  readonly #folder: string
  readonly #known = new Map<string, Known>()

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async open(folder: string): Promise<DiskParts> {
    await mkdir(folder, { recursive: true })
    return new DiskParts(folder)
  }

  /** As `FileStore.putPart`. */
  async put(upload: string, part: ComingPart, source: AsyncIterable<Uint8Array>): Promise<void> {
    const { named, ...shared } = this.#begin(upload)
    try {
      await named
      await writePart(this.#pathOf(upload), { part, ...shared }, source)
    } catch (error) {
      if (!isMissing(error)) throw await orFull(error, this.#folder)
      throw new MediaError(6024, 'the upload was given up meanwhile', { cause: error })
    }
  }

  /** Checks what the parts make, and gives it a second name elsewhere in the store; as `FileStore.finish`. */
  async assemble(upload: string, whole: Whole, to: string): Promise<StoredBytes> {
    const path = this.#pathOf(upload)
    const size = await sizeOf(path)
    if (size !== whole.size) {
      throw new MediaError(6028, `the parts make ${size} bytes, but ${whole.size} were declared`)
    }
    const frontier = this.#known.get(upload)?.frontier ?? new HashFrontier(path)
    const blake3 = await frontier.digest(size)
    if (whole.blake3 !== null && whole.blake3 !== blake3) {
      throw new MediaError(6026, `the parts make ${blake3}, but ${whole.blake3} was declared as blake3_id`, {
        retryable: false,
        hint: 'The file changed meanwhile, or a part was damaged: send the parts again, or abort and begin anew.',
      })
    }
    await freeze(path)
    await link(path, to).catch(() => copyFile(path, to, constants.COPYFILE_EXCL).then(() => freeze(to)))
    return { blake3, size }
  }

  async discard(upload: string): Promise<void> {
    this.#known.delete(upload)
    await rm(this.#pathOf(upload), { force: true })
  }

  async *list(): AsyncGenerator<string> {
    for await (const entry of await opendir(this.#folder)) yield entry.name
  }

  #pathOf(upload: string): string {
    return join(this.#folder, upload)
  }

  #begin(upload: string): Known {
    const found = this.#known.get(upload)
    if (found) return found
    const path = this.#pathOf(upload)
    const known = { frontier: new HashFrontier(path), sync: sharedSync(), named: this.#name(path) }
    this.#known.set(upload, known)
    known.named.catch(() => this.#known.delete(upload))
    return known
  }

  async #name(path: string): Promise<void> {
    // What is frozen is there.
    if ((await sizeOf(path)) === 0) await (await open(path, 'a', 0o600)).close()
    await syncFolder(this.#folder)
  }
}

/** Makes a file read-only, durably: from now on its bytes may have another name as well. */
async function freeze(path: string): Promise<void> {
  // It may be frozen already, and some systems sync only what is open for writing.
  await chmod(path, 0o600)
  await using file = await open(path, 'r+')
  await file.chmod(0o444)
  await file.sync()
}

/** Bytes of a file; 0 when there is none. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (isMissing(error)) return 0
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}
