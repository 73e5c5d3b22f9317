import { constants, type Stats } from 'node:fs'
import { chmod, copyFile, type FileHandle, link, mkdir, open, opendir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { sharedSync, syncFolder, writeFully } from '../platform/durable.ts'
import { failpoint } from '../platform/failpoint.ts'
import { freeSpace } from '../platform/folder.ts'
import { PrefixHasher } from './prefix-hasher.ts'
import type { DeclaredContent, IncomingPart, StoredBytes } from './store.ts'

/** An upload of which parts came since this process began. */
interface ActiveUpload extends PartFile {
  /** Its file has a name that survives a power cut. */
  readonly named: Promise<void>
}

/**
 * Parts of unfinished files in a folder: all parts of an upload go into one sparse file, each to its place,
 * so that finishing copies nothing.
 */
export class DiskParts {
  readonly #folder: string
  readonly #known = new Map<string, ActiveUpload>()

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async open(folder: string): Promise<DiskParts> {
    await mkdir(folder, { recursive: true })
    return new DiskParts(folder)
  }

  /** As `FileStore.putPart`. */
  async put(upload: string, part: IncomingPart, source: AsyncIterable<Uint8Array>): Promise<void> {
    const { named, ...shared } = this.#begin(upload)
    try {
      await named
      await writePart(this.#pathOf(upload), { part, ...shared }, source)
    } catch (error) {
      if (!isNotFound(error)) throw await toDiskFullError(error, this.#folder)
      throw new MediaError(6024, 'the upload was given up meanwhile', { cause: error })
    }
  }

  /** Checks what the parts make, and gives it a second name elsewhere in the store; as `FileStore.finish`. */
  async assemble(upload: string, whole: DeclaredContent, to: string): Promise<StoredBytes> {
    const path = this.#pathOf(upload)
    const size = await sizeOrZero(path)
    if (size !== whole.size) {
      throw new MediaError(6028, `the parts make ${size} bytes, but ${whole.size} were declared`)
    }
    const frontier = this.#known.get(upload)?.frontier ?? new PrefixHasher(path)
    const blake3 = await frontier.digest(size)
    if (whole.blake3 !== null && whole.blake3 !== blake3) {
      throw new MediaError(6026, `the parts make ${blake3}, but ${whole.blake3} was declared as blake3_id`, {
        retryable: false,
        hint: 'The file changed meanwhile, or a part was damaged: send the parts again, or abort and begin anew.',
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
    const known = { frontier: new PrefixHasher(path), sync: sharedSync(), named: this.#name(path) }
    this.#known.set(upload, known)
    known.named.catch(() => this.#known.delete(upload))
    return known
  }

  async #name(path: string): Promise<void> {
    // What is frozen is there.
    if ((await sizeOrZero(path)) === 0) await (await open(path, 'a', 0o600)).close()
    await syncFolder(this.#folder)
  }
}

/** Makes a file read-only, durably: from now on its bytes may have another name as well. */
async function makeReadOnly(path: string): Promise<void> {
  // It may be frozen already, and some systems sync only what is open for writing.
  await chmod(path, 0o600)
  await using file = await open(path, 'r+')
  await file.chmod(0o444)
  await file.sync()
}

/** Bytes of a file; 0 when there is none. */
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

/** What the parts of a file have in common. */
interface PartFile {
  readonly frontier: PrefixHasher
  /** Makes what was written to it durable. */
  readonly sync: (file: FileHandle) => Promise<void>
}

/** Writes a part to its place in a file, durably; where it replaces one, from the first chunk that differs. */
async function writePart(
  path: string,
  { part, frontier, sync }: { part: IncomingPart } & PartFile,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  await using file = await open(path, isReadOnly(await stat(path)) ? 'r' : 'r+')
  let differs = false
  const begin = async (): Promise<void> => {
    await refuseReadOnly(file)
    await part.beforeOverwrite?.()
    // It may have been finished while it was asked.
    await refuseReadOnly(file)
    frontier.changing(part)
    differs = true
  }
  if (!part.beforeOverwrite) await begin()
  let received = 0
  for await (const bytes of source) {
    const position = part.offset + received
    received += bytes.byteLength
    if (received > part.size) break
    if (!differs && !(await hasBytesAt(file, bytes, position))) await begin()
    if (differs) await writeFully(file, bytes, position)
  }
  if (received !== part.size) throw new MediaError(6025, `the part is not ${part.size} bytes long`)
  if (!differs) return
  failpoint('files.part.written')
  await sync(file)
  failpoint('files.part.synced')
  frontier.stored(part)
}

/** Whether a file holds these bytes there. */
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
  throw new MediaError(6024, 'the upload is complete: its parts cannot be changed')
}

/** What to throw for what a write into a folder threw: a full disk is 6002, told with what is left of it. */
export async function toDiskFullError(error: unknown, folder: string): Promise<unknown> {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error
  const free = await freeSpace(folder)
  return new MediaError(6002, `no space is left on the service: ${free} bytes are free`, {
    cause: error,
    hint: 'Free space on the service, then send it again.',
  })
}
