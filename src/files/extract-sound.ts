import { parse } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { maxFileBytes } from '../contract/file.ts'
import type { FileRow } from '../db/schema.ts'
import { extractedSoundExtension, extractSound } from '../engines/ffmpeg/extract-sound.ts'
import { limitPerAccount } from '../threads/account-limit.ts'
import { probeStoredFile } from './probe.ts'
import { findOwnFile, recordUpload } from './records.ts'
import type { BoundedFileStorage } from './storage-limits.ts'

/** One at a time, in turn for each account: each uses the disk and a core. */
const limitExtractions = limitPerAccount({ limit: 1, name: 'extractions of sound' })

/**
 * Stores the sound of a file as an audio file of the same account. Equal sound is stored once. Throws 6014 without
 * sound, 6002 beyond the account's quota, 6017 and 6021 for damaged files, 6032 if too many of the account wait.
 * clock: milliseconds since 1970.
 */
export async function storeSoundOf(
  storage: BoundedFileStorage,
  row: FileRow,
  { clock, signal }: { readonly clock: () => number; readonly signal: AbortSignal },
): Promise<FileRow> {
  const { facts } = await probeStoredFile(storage, row, { signal })
  if (!facts || facts.audio.length === 0) {
    throw new MediaError(6014, `${row.name} has no sound`, { hint: 'Use a file with sound.' })
  }
  const { account_id: accountId, id } = row
  const extract = async (): Promise<FileRow> => {
    // The file may have been deleted while the extraction waited.
    await findOwnFile(storage.db, { accountId, id, now: clock() })
    // Equal sound that is stored already needs no space, so that what is left of the quota is no limit here.
    const maxBytes = Math.min(maxFileBytes, storage.storageQuota)
    const bytes = await storage.files.withLocalPath(row, (path) =>
      storage.files.put(extractSound(path, facts, { signal }), maxBytes),
    )
    const name = parse(row.name).name + extractedSoundExtension
    return await recordUpload(storage, { accountId, name, bytes, now: clock() })
  }
  return await limitExtractions(accountId, extract, signal)
}
