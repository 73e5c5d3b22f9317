import type { Stats } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'
import { MediaError } from '../contract/errors.ts'
import { writeWhole } from '../platform/durable.ts'
import { failpoint } from '../platform/failpoint.ts'
import type { HashFrontier } from './hash-frontier.ts'
import type { ComingPart } from './store.ts'

/** What the parts of a file have in common. */
export interface SharedFile {
  readonly frontier: HashFrontier
  /** Makes what was written to it durable. */
  readonly sync: (file: FileHandle) => Promise<void>
}

/** Writes a part to its place in a file, durably; where it replaces one, from the first chunk that differs. */
export async function writePart(
  path: string,
  { part, frontier, sync }: { part: ComingPart } & SharedFile,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  await using file = await open(path, isFrozen(await stat(path)) ? 'r' : 'r+')
  let differs = false
  const begin = async (): Promise<void> => {
    await refuseFrozen(file)
    await part.giveUp?.()
    // It may have been finished while it was asked.
    await refuseFrozen(file)
    frontier.changing(part)
    differs = true
  }
  if (!part.giveUp) await begin()
  let received = 0
  for await (const bytes of source) {
    const position = part.offset + received
    received += bytes.byteLength
    if (received > part.size) break
    if (!differs && !(await holds(file, bytes, position))) await begin()
    if (differs) await writeWhole(file, bytes, position)
  }
  if (received !== part.size) throw new MediaError(6025, `the part is not ${part.size} bytes long`)
  if (!differs) return
  failpoint('files.part.written')
  await sync(file)
  failpoint('files.part.synced')
  frontier.stored(part)
}

/** Whether a file holds these bytes there. */
async function holds(file: FileHandle, bytes: Uint8Array, position: number): Promise<boolean> {
  const { byteLength } = bytes
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(byteLength), 0, byteLength, position)
  return buffer.subarray(0, bytesRead).equals(bytes)
}

function isFrozen({ mode }: Stats): boolean {
  return (mode & 0o200) === 0
}

async function refuseFrozen(file: FileHandle): Promise<void> {
  if (!isFrozen(await file.stat())) return
  throw new MediaError(6024, 'the upload is complete: its parts cannot be changed')
}
