import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { type LocalFile, partRange } from '../contract/upload.ts'
import type { UploadRow } from '../db/schema.ts'
import { failpoint } from '../platform/failpoint.ts'
import { realPathOfHandle } from '../platform/opened-path.ts'
import { findPrivateFolder, type PrivateFolder } from '../platform/private-folders.ts'
import { readAhead } from '../platform/read-ahead.ts'
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

/** A part sent by a client, or read from its file on this machine. */
interface StorePartOptions {
  /** Index of the part, as the client wrote it. */
  readonly index: string
  /** Announced length in bytes; undefined when the client sent none. */
  readonly length: number | undefined
  /** Starts reading the part. */
  readonly bytes: (range: PartRange) => AsyncIterable<Uint8Array>
  /** See `IncomingPart`. */
  readonly isLocal?: boolean
}

/** Progress of an upload. */
interface StorePartResult {
  readonly index: number
  /** Number of stored parts. */
  readonly received: number
  readonly upload: UploadRow
}

const latestPart = takeLatest<StorePartResult>()

/**
 * Stores a part of an upload durably. Throws 6024 when the upload is unknown, complete or aborted meanwhile, 6025
 * for an invalid part, 6002 when the disk is full, and errors of the source. A failed part is not recorded; a
 * previously stored part stays valid unless its bytes were overwritten.
 */
export async function storePart(
  storage: UploadStorage,
  key: UploadKey,
  sent: StorePartOptions,
): Promise<StorePartResult> {
  const upload = await findUpload(storage, key)
  if (upload.file_id !== null) throw new MediaError(6024, `the upload ${upload.id} is complete`)
  const { index, range } = locatePart(upload, sent)
  const { isLocal = false } = sent
  return await latestPart(`${upload.id}/${index}`, sent.bytes(range), async (source) => {
    const beforeOverwrite = (): Promise<void> => unrecordPart(storage, upload.id, index)
    const stored = await isPartStored(storage, upload.id, index)
    await storage.files.putPart(
      upload.id,
      { ...range, isLocal, beforeOverwrite: stored ? beforeOverwrite : undefined },
      source,
    )
    failpoint('upload.part.before-commit')
    const progress = await recordPart(storage, upload.id, index)
    failpoint('upload.part.after-commit')
    return progress
  })
}

function locatePart(
  upload: UploadRow,
  { index: given, length }: StorePartOptions,
): { index: number; range: PartRange } {
  const parts = toUploadSession(upload).total_parts
  const index = /^\d{1,9}$/.test(given) ? Number(given) : -1
  if (index < 0 || index >= parts) {
    throw new MediaError(6025, `part ${JSON.stringify(given)} does not exist: the last part is ${parts - 1}`)
  }
  const range = partRange({ size: upload.size, partSize: upload.part_size }, index)
  if (length !== undefined && length !== range.size) {
    throw new MediaError(6025, `part ${index} must have ${range.size} bytes, not ${length}`)
  }
  return { index, range }
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
  // The upload was aborted during this part, which may have created its file again.
  await files.discard(id)
  throw uploadNotFound(id)
}

/** Removes the record of a part before its bytes are overwritten, unless the upload is being completed. */
async function unrecordPart({ db }: UploadStorage, id: string, index: number): Promise<void> {
  await uploadMutex(id, async () => {
    if (!(await isUploadOpen(db, id))) throw uploadNotFound(id)
    await db.deleteFrom('upload_parts').where('upload_id', '=', id).where('part', '=', index).execute()
  })
  failpoint('upload.part.forgotten')
}

/** Read size, bytes. */
const localReadBytes = 2 ** 20

/** Non-blocking, so that opening a FIFO returns. Windows has no such flag. */
const localOpenFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * Streams a range of a file on this machine. Each chunk is only valid until the next one is requested. Throws 6004
 * unless the path leads to the very file that the client has open, and 6016 for a file in a folder of the service.
 */
export async function* readLocalRange(
  local: LocalFile,
  privateFolders: readonly PrivateFolder[],
  { offset, size }: PartRange,
): AsyncGenerator<Uint8Array> {
  await using file = await openLocalFile(local)
  await refusePrivateFile(file, local, privateFolders)
  yield* readAhead(file, { offset, size, pieceBytes: localReadBytes })
}

/** Checks the open descriptor, not the path, which may change. */
async function openLocalFile({ path, device, inode }: LocalFile): Promise<FileHandle> {
  const file = isAbsolute(path) ? await open(path, localOpenFlags).catch(() => null) : null
  const found = await file?.stat({ bigint: true })
  if (file && found?.isFile() && String(found.dev) === device && String(found.ino) === inode) return file
  await file?.close()
  throw notThisFile()
}

function notThisFile(): MediaError {
  return new MediaError(6004, 'the path does not lead to this file on the machine of the service', {
    hint: 'Send the bytes of the part.',
  })
}

/** Checks the opened file, whose path may have changed. */
async function refusePrivateFile(
  file: FileHandle,
  { path }: LocalFile,
  privateFolders: readonly PrivateFolder[],
): Promise<void> {
  const opened = await file.stat({ bigint: true })
  const real = await realPathOfHandle(file, path)
  if (real === null) throw notThisFile()
  const used = await findPrivateFolder(privateFolders, real, opened)
  if (!used) return
  throw new MediaError(6016, `the file is in the ${used.use}, which only the service uses`, {
    hint: 'Use a file in another folder.',
  })
}
