import { constants, type Stats } from 'node:fs'
import { chmod, copyFile, type FileHandle, link, mkdir, open, opendir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { describeSize } from '../contract/format.ts'
import { keyedMutex } from '../platform/concurrency.ts'
import { sharedSync, syncFolder, writeAt } from '../platform/durable.ts'
import { failpoint } from '../platform/failpoint.ts'
import { freeSpace } from '../platform/folder.ts'
import { PrefixHasher } from './prefix-hasher.ts'
import type { DeclaredContent, IncomingPart, StoredBytes } from './store.ts'

/** An upload that received parts in this process. */
interface ActiveUpload extends PartFile {
  /** Resolves when the file's directory entry is durable. */
  readonly named: Promise<void>
}

/**
 * Parts of open uploads in a folder. All parts of an upload are written into one sparse file at their positions,
 * so that assembling copies nothing.
 */
export class DiskParts {
  readonly #folder: string
  readonly #known = new Map<string, ActiveUpload>()
  readonly #turns = keyedMutex()

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async open(folder: string): Promise<DiskParts> {
    await mkdir(folder, { recursive: true })
    return new DiskParts(folder)
  }

  /** See `FileStore.putPart`. */
  async put(upload: string, part: IncomingPart, source: AsyncIterable<Uint8Array>): Promise<void> {
    const { named, ...shared } = this.#begin(upload)
    try {
      await named
      await writePart(this.#pathOf(upload), { part, ...shared }, source)
    } catch (error) {
      if (!isNotFound(error)) throw await toDiskFullError(error, this.#folder)
      throw new MediaError(6024, 'the upload was aborted', { cause: error })
    }
  }

  /** Verifies the assembled file and links it to another path of the store. See `FileStore.assemble`. */
  async assemble(upload: string, whole: DeclaredContent, to: string): Promise<StoredBytes> {
    const path = this.#pathOf(upload)
    const size = await sizeOrZero(path)
    if (size !== whole.size) {
      throw new MediaError(6028, `the parts have ${size} bytes in total, but ${whole.size} were declared`)
    }
    const frontier = this.#known.get(upload)?.frontier ?? new PrefixHasher(path)
    const blake3 = await frontier.digest(size)
    if (whole.blake3 !== null && whole.blake3 !== blake3) {
      throw new MediaError(6026, `the BLAKE3 of the parts is ${blake3}, but blake3_id is ${whole.blake3}`, {
        retryable: false,
        hint: 'The file changed during the upload, or a part was damaged. Send the parts again, or abort the upload and start a new one.',
      })
    }
    await makeReadOnly(path)
    await link(path, to).catch(() => copyFile(path, to, constants.COPYFILE_EXCL).then(() => makeReadOnly(to)))
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

  #begin(upload: string): ActiveUpload {
    const found = this.#known.get(upload)
    if (found) return found
    const path = this.#pathOf(upload)
    const takeTurn: PartFile['takeTurn'] = (work) => this.#turns(upload, work)
    const known = { frontier: new PrefixHasher(path), sync: sharedSync(), named: this.#name(path), takeTurn }
    this.#known.set(upload, known)
    known.named.catch(() => this.#known.delete(upload))
    return known
  }

  async #name(path: string): Promise<void> {
    // A read-only file already exists.
    if ((await sizeOrZero(path)) === 0) await (await open(path, 'a', 0o600)).close()
    await syncFolder(this.#folder)
  }
}

/** Makes a file read-only, durably, because its content may now be linked from elsewhere. */
async function makeReadOnly(path: string): Promise<void> {
  // It may be read-only already, and some systems sync only files opened for writing.
  await chmod(path, 0o600)
  await using file = await open(path, 'r+')
  await file.chmod(0o400)
  await file.sync()
}

/** Size of a file, bytes; 0 when it does not exist. */
async function sizeOrZero(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (isNotFound(error)) return 0
    throw error
  }
}

function isNotFound(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}

/** State shared by all parts of one file. */
interface PartFile {
  readonly frontier: PrefixHasher
  /** Syncs written data to disk. */
  readonly sync: (file: FileHandle) => Promise<void>
  /** Runs work on local parts one after another. */
  readonly takeTurn: <T>(work: () => Promise<T>) => Promise<T>
}

type WritePartOptions = { readonly part: IncomingPart } & PartFile

/**
 * Writes a part durably at its position. Where it replaces a stored part, writes only from the first differing
 * chunk.
 */
async function writePart(
  path: string,
  options: WritePartOptions,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { part, frontier, sync, takeTurn } = options
  await using file = await open(path, isReadOnly(await stat(path)) ? 'r' : 'r+')
  const copy = (): Promise<boolean> => copyPart(file, options, source)
  const isWritten = await (part.isLocal ? takeTurn(copy) : copy())
  if (!isWritten) return
  failpoint('files.part.written')
  try {
    await sync(file)
  } catch (error) {
    frontier.changing(part)
    throw error
  }
  failpoint('files.part.synced')
  frontier.stored(part)
}

/** Writes a part without syncing it. Returns false if the file already has its bytes. */
async function copyPart(
  file: FileHandle,
  { part, frontier }: WritePartOptions,
  source: AsyncIterable<Uint8Array>,
): Promise<boolean> {
  let differs = false
  const begin = async (): Promise<void> => {
    await refuseReadOnly(file)
    await part.beforeOverwrite?.()
    // It may have been completed while awaiting.
    await refuseReadOnly(file)
    frontier.changing(part)
    differs = true
  }
  if (!part.beforeOverwrite) await begin()
  try {
    const hash = part.isLocal && differs ? await frontier.whileWriting(part) : null
    let received = 0
    for await (const bytes of source) {
      const position = part.offset + received
      received += bytes.byteLength
      if (received > part.size) break
      if (!differs && !(await hasBytesAt(file, bytes, position))) await begin()
      if (!differs) continue
      const writing = writeAt(file, bytes, position)
      // The main thread hashes them while another one writes.
      hash?.(bytes)
      await writing
    }
    if (received !== part.size) throw new MediaError(6025, `the part must be ${part.size} bytes long`)
    return differs
  } catch (error) {
    if (differs) frontier.changing(part)
    throw error
  }
}

/** Whether the file has these bytes at this position. */
async function hasBytesAt(file: FileHandle, bytes: Uint8Array, position: number): Promise<boolean> {
  const { byteLength } = bytes
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(byteLength), 0, byteLength, position)
  return buffer.subarray(0, bytesRead).equals(bytes)
}

function isReadOnly({ mode }: Stats): boolean {
  return (mode & 0o200) === 0
}

async function refuseReadOnly(file: FileHandle): Promise<void> {
  if (!isReadOnly(await file.stat())) return
  throw new MediaError(6024, 'the upload is complete and its parts cannot be changed')
}

/** Converts a write error: a full disk becomes 6002 with the free space. Returns other errors unchanged. */
export async function toDiskFullError(error: unknown, folder: string): Promise<unknown> {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error
  const free = await freeSpace(folder)
  return new MediaError(6002, `the disk of the service is full: ${describeSize(free)} are free`, {
    cause: error,
    hint: 'Free space on the service, then upload the file again.',
  })
}
