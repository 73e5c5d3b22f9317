import { MediaError } from '../contract/errors.ts'
import { partAt } from '../contract/upload.ts'
import type { UploadRow } from '../db/schema.ts'
import { failpoint } from '../platform/failpoint.ts'
import { newestWins } from './newest-wins.ts'
import type { Place } from './store.ts'
import {
  alone,
  findUpload,
  isOpen,
  noUpload,
  renewed,
  toSession,
  type Shelf,
  type UploadKey,
} from './uploads.ts'

/** A part as a client sends it. */
interface SentPart {
  /** Which part, as the client wrote it. */
  readonly index: string
  /** Bytes that are announced; undefined when the client did not say. */
  readonly length: number | undefined
  /** Begins to read it. */
  readonly bytes: (place: Place) => AsyncIterable<Uint8Array>
}

/** How far an upload is. */
interface Progress {
  readonly index: number
  /** Parts stored. */
  readonly received: number
  readonly upload: UploadRow
}

const receiving = newestWins<Progress>()

/**
 * Stores a part of an upload; once it resolves the part survives a power cut. Throws 6024 for an upload that is
 * unknown, complete or aborted meanwhile, 6025 for a part it does not have, 6002 when the disk is full, and what
 * the source throws; then the part does not count, and one that was stored before still does, unless other bytes
 * came in its place.
 */
export async function storePart(shelf: Shelf, key: UploadKey, sent: SentPart): Promise<Progress> {
  const upload = await findUpload(shelf, key)
  if (upload.file_id !== null) throw new MediaError(6024, `the upload ${upload.id} is complete`)
  const { index, place } = placeOf(upload, sent)
  return await receiving(`${upload.id}/${index}`, sent.bytes(place), async (source) => {
    const giveUp = (): Promise<void> => forget(shelf, upload.id, index)
    const stored = await isStored(shelf, upload.id, index)
    await shelf.files.putPart(upload.id, { ...place, giveUp: stored ? giveUp : undefined }, source)
    failpoint('upload.part.before-commit')
    const progress = await record(shelf, upload.id, index)
    failpoint('upload.part.after-commit')
    return progress
  })
}

function placeOf(upload: UploadRow, { index: given, length }: SentPart): { index: number; place: Place } {
  const parts = toSession(upload).total_parts
  const index = /^\d{1,9}$/.test(given) ? Number(given) : -1
  if (index < 0 || index >= parts) {
    throw new MediaError(6025, `there is no part ${JSON.stringify(given)}: the last one is ${parts - 1}`)
  }
  const place = partAt({ size: upload.size, partSize: upload.part_size }, index)
  if (length !== undefined && length !== place.size) {
    throw new MediaError(6025, `part ${index} has ${place.size} bytes, not ${length}`)
  }
  return { index, place }
}

async function isStored({ db }: Shelf, id: string, index: number): Promise<boolean> {
  const row = await db
    .selectFrom('upload_parts')
    .select('part')
    .where('upload_id', '=', id)
    .where('part', '=', index)
    .executeTakeFirst()
  return row !== undefined
}

async function record({ db, files, clock }: Shelf, id: string, index: number): Promise<Progress> {
  const progress = await db.transaction().execute(async (trx) => {
    const upload = await trx
      .updateTable('uploads')
      .set(renewed(clock()))
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
  throw noUpload(id)
}

/** Takes a part out of an upload before its bytes are overwritten; not while it is completed. */
async function forget({ db }: Shelf, id: string, index: number): Promise<void> {
  await alone(id, async () => {
    if (!(await isOpen(db, id))) throw noUpload(id)
    await db.deleteFrom('upload_parts').where('upload_id', '=', id).where('part', '=', index).execute()
  })
  failpoint('upload.part.forgotten')
}
