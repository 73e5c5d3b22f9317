import { parse } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { maxFileBytes } from '../contract/file.ts'
import type { FileRow } from '../db/schema.ts'
import { extractedSoundExtension, extractSound } from '../engines/ffmpeg/extract-sound.ts'
import { limitConcurrency } from '../platform/concurrency.ts'
import { probeStoredFile } from './probe.ts'
import { recordUpload } from './records.ts'
import type { BoundedFileStorage } from './storage-limits.ts'

/** One at a time: each uses the disk and a core. */
const limitExtractions = limitConcurrency(1)

/**
 * Stores the sound of a file as an audio file of the same account. Equal sound is stored once. Throws 6014 without
 * sound, 6002 beyond the account's quota, 6017 and 6021 for damaged files.
 */
export async function storeSoundOf(
  storage: BoundedFileStorage,
  row: FileRow,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<FileRow> {
  const { facts } = await probeStoredFile(storage, row, { signal })
  if (!facts || facts.audio.length === 0) {
    throw new MediaError(6014, `${row.name} has no sound`, { hint: 'Use a file with sound.' })
  }
  return await limitExtractions(async () => {
    signal.throwIfAborted()
    const bytes = await storage.files.withLocalPath(row, (path) =>
      storage.files.put(extractSound(path, facts, { signal }), maxFileBytes),
    )
    const name = parse(row.name).name + extractedSoundExtension
    return await recordUpload(storage, { accountId: row.account_id, name, bytes, now })
  })
}
