import type { Stats } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'
import { MediaError } from '../contract/errors.ts'
import { writeWhole } from '../platform/durable.ts'
import { failpoint } from '../platform/failpoint.ts'
import type { HashFrontier } from './hash-frontier.ts'
import type { ComingPart } from './store.ts'

/** Bytes of one write: what a part in flight holds in memory. Smaller ones cost time on a busy machine. */
const batchBytes = 2 ** 20

/** Chunks of one write: a client may send them as small as it likes. */
const batchChunks = 64

/** Writes a part to its place in a file, durably; where it replaces one, from the first batch that differs. */
export async function writePart(
  path: string,
  { part, frontier }: { part: ComingPart; frontier: HashFrontier },
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
  for await (const chunks of inBatches(source)) {
    const position = part.offset + received
    received += sizeOfAll(chunks)
    if (received > part.size) break
    if (!differs && !(await holds(file, chunks, position))) await begin()
    if (differs) await writeAll(file, chunks, position)
  }
  if (received !== part.size) throw new MediaError(6025, `the part is not ${part.size} bytes long`)
  if (!differs) return
  failpoint('files.part.written')
  await file.datasync()
  failpoint('files.part.synced')
  frontier.stored(part)
}

/** Gathers chunks until they are worth a write. */
async function* inBatches(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array[]> {
  let batch: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of source) {
    batch.push(chunk)
    bytes += chunk.byteLength
    if (bytes < batchBytes && batch.length < batchChunks) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (bytes > 0) yield batch
}

/** Writes chunks one after another, however little the system takes at once. */
async function writeAll(file: FileHandle, chunks: readonly Uint8Array[], position: number): Promise<void> {
  const { bytesWritten } = await file.writev(chunks, position)
  if (bytesWritten === sizeOfAll(chunks)) return
  await writeWhole(file, Buffer.concat(chunks).subarray(bytesWritten), position + bytesWritten)
}

/** Whether a file holds these bytes there. */
async function holds(file: FileHandle, chunks: readonly Uint8Array[], position: number): Promise<boolean> {
  const bytes = Buffer.concat(chunks)
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytes.length), 0, bytes.length, position)
  return bytes.equals(buffer.subarray(0, bytesRead))
}

function sizeOfAll(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)
}

function isFrozen({ mode }: Stats): boolean {
  return (mode & 0o200) === 0
}

async function refuseFrozen(file: FileHandle): Promise<void> {
  if (!isFrozen(await file.stat())) return
  throw new MediaError(6024, 'the upload is complete: its parts cannot be changed')
}
