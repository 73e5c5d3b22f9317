import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { type LocalFile, partRange } from '../contract/upload.ts'
import type { UploadRow } from '../db/schema.ts'
import { failpoint } from '../platform/failpoint.ts'
import type { PartRange } from './store.ts'
import { takeLatest } from './take-latest.ts'
import {
  findUpload,
  isUploadOpen,
  renewedExpiry,
  toUploadSession,
  type UploadKey,
  uploadMutex,
  uploadNotFound,
  type UploadStorage,
} from './uploads.ts'

/** A part as a client sends it. */
interface StorePartOptions {
  /** Which part, as the client wrote it. */
  readonly index: string
  /** Bytes that are announced; undefined when the client did not say. */
  readonly length: number | undefined
  /** Begins to read it. */
  readonly bytes: (place: PartRange) => AsyncIterable<Uint8Array>
}

/** How far an upload is. */
interface StorePartResult {
  readonly index: number
  /** Parts stored. */
  readonly received: number
  readonly upload: UploadRow
}

const latestPart = takeLatest<StorePartResult>()

/**
 * Stores a part of an upload; once it resolves the part survives a power cut. Throws 6024 for an upload that is
 * unknown, complete or aborted meanwhile, 6025 for a part it does not have, 6002 when the disk is full, and what
 * the source throws; then the part does not count, and one that was stored before still does, unless other bytes
 * came in its place.
 */
export async function storePart(
  shelf: UploadStorage,
  key: UploadKey,
  sent: StorePartOptions,
): Promise<StorePartResult> {
  const upload = await findUpload(shelf, key)
  if (upload.file_id !== null) throw new MediaError(6024, `the upload ${upload.id} is complete`)
  const { index, place } = locatePart(upload, sent)
  return await latestPart(`${upload.id}/${index}`, sent.bytes(place), async (source) => {
    const giveUp = (): Promise<void> => unrecordPart(shelf, upload.id, index)
    const stored = await isPartStored(shelf, upload.id, index)
    await shelf.files.putPart(upload.id, { ...place, beforeOverwrite: stored ? giveUp : undefined }, source)
    failpoint('upload.part.before-commit')
    const progress = await recordPart(shelf, upload.id, index)
    failpoint('upload.part.after-commit')
    return progress
  })
}

function locatePart(
  upload: UploadRow,
  { index: given, length }: StorePartOptions,
): { index: number; place: PartRange } {
  const parts = toUploadSession(upload).total_parts
  const index = /^\d{1,9}$/.test(given) ? Number(given) : -1
  if (index < 0 || index >= parts) {
    throw new MediaError(6025, `there is no part ${JSON.stringify(given)}: the last one is ${parts - 1}`)
  }
  const place = partRange({ size: upload.size, partSize: upload.part_size }, index)
  if (length !== undefined && length !== place.size) {
    throw new MediaError(6025, `part ${index} has ${place.size} bytes, not ${length}`)
  }
  return { index, place }
}

async function isPartStored({ db }: UploadStorage, id: string, index: number): Promise<boolean> {
  const row = await db
    .selectFrom('upload_parts')
    .select('part')
    .where('upload_id', '=', id)
    .where('part', '=', index)
    .executeTakeFirst()
  return row !== undefined
}

async function recordPart(
  { db, files, clock }: UploadStorage,
  id: string,
  index: number,
): Promise<StorePartResult> {
  const progress = await db.transaction().execute(async (trx) => {
    const upload = await trx
      .updateTable('uploads')
      .set(renewedExpiry(clock()))
      .where('id', '=', id)
      .where('file_id', 'is', null)
      .returningAll()
      .executeTakeFirst()
    if (!upload) return null
    await trx
      .insertInto('upload_parts')
      .values({ upload_id: id, part: index })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const { received } = await trx
      .selectFrom('upload_parts')
      .select((eb) => eb.fn.countAll<number>().as('received'))
      .where('upload_id', '=', id)
      .executeTakeFirstOrThrow()
    return { index, received, upload }
  })
  if (progress) return progress
  // It was aborted while this part came, which may have made its file anew.
  await files.discard(id)
  throw uploadNotFound(id)
}

/** Takes a part out of an upload before its bytes are overwritten; not while it is completed. */
async function unrecordPart({ db }: UploadStorage, id: string, index: number): Promise<void> {
  await uploadMutex(id, async () => {
    if (!(await isUploadOpen(db, id))) throw uploadNotFound(id)
    await db.deleteFrom('upload_parts').where('upload_id', '=', id).where('part', '=', index).execute()
  })
  failpoint('upload.part.forgotten')
}

/** Bytes of one read. */
const localReadBytes = 2 ** 20

/** A FIFO must not hold the open. Windows knows none. */
const localOpenFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * Bytes of a place of a file on this machine; each piece is overwritten once the next is asked for. Throws 6004
 * where its path leads to anything but the very file that the client has open.
 */
export async function* readLocalRange(
  local: LocalFile,
  { offset, size }: PartRange,
): AsyncGenerator<Uint8Array> {
  await using file = await openLocalFile(local)
  const piece = Buffer.allocUnsafe(Math.min(localReadBytes, size))
  for (let done = 0; done < size;) {
    const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, size - done), offset + done)
    if (bytesRead === 0) return
    done += bytesRead
    yield piece.subarray(0, bytesRead)
  }
}

/** What was opened is looked at, not what the path led to before. */
async function openLocalFile({ path, device, inode }: LocalFile): Promise<FileHandle> {
  const file = isAbsolute(path) ? await open(path, localOpenFlags).catch(() => null) : null
  const found = await file?.stat({ bigint: true })
  if (file && found?.isFile() && String(found.dev) === device && String(found.ino) === inode) return file
  await file?.close()
  throw new MediaError(6004, 'the path does not lead to this file here', {
    hint: 'Send the bytes of the part.',
  })
}
