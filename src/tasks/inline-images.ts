import { setImmediate as nextTurn } from 'node:timers/promises'
import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { describeSize } from '../contract/format.ts'
import { findInlineImages, maxInlineImageBytes } from '../contract/inline-image.ts'
import type { MarkedValue } from '../contract/marked-fields.ts'
import type { Operation } from '../contract/operation.ts'
import type { Db, TaskRow, WriteTransaction } from '../db/schema.ts'
import { imageExtension } from '../engines/ffmpeg/image-format.ts'
import { type FileStorage, removeUnreferencedContent, requireContent } from '../files/content.ts'
import { type BoundedFileStorage, checkQuota } from '../files/storage-limits.ts'
import { failpoint } from '../platform/failpoint.ts'
import { createHasher } from '../platform/hash.ts'

/** An image that a request contains as text. */
export interface InlineImage {
  /** BLAKE3 of its bytes, lower-case hex, under which the input names it. */
  readonly blake3: string
  readonly bytes: Uint8Array
  /** Extension of its format, with the dot. */
  readonly ext: string
}

/**
 * Decodes the images that an input contains, and replaces each text in `input` by the hash of its image, so that equal
 * images are equal inputs. Returns each image once. Throws 6016 for a text that is not base64, 6031 for an image of more
 * than 1 MiB, and 6014 for other content.
 */
export async function extractInlineImages(
  { input: schema }: Operation,
  input: Record<string, unknown>,
): Promise<InlineImage[]> {
  const images = new Map<string, InlineImage>()
  for (const found of findInlineImages(schema, input)) {
    const image = await readInlineImage(found)
    images.set(image.blake3, image)
    replaceValue(input, found.path, image.blake3)
    // Each image takes up to some milliseconds: others have their turn in between.
    await nextTurn()
  }
  return [...images.values()]
}

/** What precedes the base64 of a data URI (RFC 2397). */
const dataUriPrefix = /^data:[^,]{0,200};base64,/i

/** Base64 (RFC 4648) with its padding or without; line breaks are removed before. */
const base64Text = /^[A-Za-z0-9+/]+={0,2}$/

async function readInlineImage({ path, value }: MarkedValue): Promise<InlineImage> {
  const field = z.core.toDotPath(path)
  const text = String(value)
  const start = dataUriPrefix.exec(text.slice(0, 256))?.[0].length ?? 0
  const encoded = text.slice(start).replaceAll(/[\r\n]/g, '')
  const padding = ['==', '='].find((end) => encoded.endsWith(end))?.length ?? 0
  const characters = encoded.length - padding
  const decodedBytes = Math.floor((characters * 3) / 4)
  if (decodedBytes > maxInlineImageBytes) throw tooLargeError(field, decodedBytes)
  if (!base64Text.test(encoded) || characters % 4 === 1) {
    throw new MediaError(6016, `${field}: the text is not base64`, {
      hint: 'Encode the bytes of the image as base64, or upload the image and name its file_id.',
    })
  }
  const bytes = Buffer.from(encoded, 'base64')
  const ext = imageExtension(bytes)
  if (ext === undefined) {
    throw new MediaError(6014, `${field}: the content is not an image`, {
      hint: 'Send the bytes of a JPEG, PNG, BMP or WebP file.',
    })
  }
  const hasher = await createHasher()
  hasher.update(bytes)
  return { blake3: hasher.digest(), bytes, ext }
}

function tooLargeError(field: string, bytes: number): MediaError {
  const [size, most] = [describeSize(bytes), describeSize(maxInlineImageBytes)]
  return new MediaError(6031, `${field}: the base64 image has ${size}, and at most ${most} are allowed`, {
    hint: 'Scale the image down, or upload it and name its file_id.',
  })
}

/** Replaces a value in an object or list that the service itself has parsed. */
function replaceValue(whole: object, path: MarkedValue['path'], value: string): void {
  let at = whole as Record<string | number, unknown>
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>
  const last = path.at(-1)
  if (last !== undefined) at[last] = value
}

/** Attempts to store and record images, before another removal of their content is an error. */
const maxAttempts = 3

/**
 * Stores the content of images, then calls `record`, whose transaction records them. Repeats both if `record` throws 6036:
 * the content is removed when another task that used an image ends in between. Returns what `record` returns.
 */
export async function recordWithImages<T>(
  { files }: Pick<FileStorage, 'files'>,
  images: readonly InlineImage[],
  record: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    for (const { bytes } of images) await files.put(chunksOf(bytes), maxInlineImageBytes)
    failpoint('submit.images')
    try {
      return await record()
    } catch (error) {
      const wasRemoved = images.length > 0 && error instanceof MediaError && error.code === 6036
      if (!wasRemoved || attempt === maxAttempts) throw error
    }
  }
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/**
 * Records stored images as those of a new task, within the transaction that creates it. Throws 6036 if the content of one
 * was removed meanwhile, and 6002 beyond the quota of the account.
 */
export async function recordInlineImages(
  trx: WriteTransaction,
  storage: Omit<BoundedFileStorage, 'db'>,
  {
    task,
    images,
  }: { readonly task: Pick<TaskRow, 'id' | 'account_id'>; readonly images: readonly InlineImage[] },
): Promise<void> {
  if (images.length === 0) return
  const size = images.reduce((sum, { bytes }) => sum + bytes.length, 0)
  await checkQuota({ ...storage, db: trx }, { accountId: task.account_id, size })
  // Locks of several hashes are taken in ascending order.
  for (const { blake3 } of images.toSorted((one, other) => (one.blake3 < other.blake3 ? -1 : 1)))
    await requireContent(trx, storage.files, blake3)
  await trx
    .insertInto('task_images')
    .values(images.map(({ blake3, bytes, ext }) => ({ task_id: task.id, blake3, ext, size: bytes.length })))
    .execute()
}

/** Removes the content of images that no task or file uses. */
export async function removeUnusedImages(
  storage: FileStorage,
  images: readonly Pick<InlineImage, 'blake3'>[],
): Promise<void> {
  for (const { blake3 } of images) await removeUnreferencedContent(storage, blake3)
}

/** Lists the inline images of a task. */
export async function findInlineImagesOf(db: Db, taskId: string) {
  return await db.selectFrom('task_images').selectAll().where('task_id', '=', taskId).execute()
}

/** Forgets the inline images of an ended task, within its transaction. Returns them: their content can be removed. */
export async function forgetInlineImages(
  trx: WriteTransaction,
  taskId: string,
): Promise<Pick<InlineImage, 'blake3'>[]> {
  return await trx.deleteFrom('task_images').where('task_id', '=', taskId).returning('blake3').execute()
}
