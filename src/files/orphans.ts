import type { Db } from '../db/schema.ts'
import { isNamed } from './bytes.ts'
import type { FileStore } from './store.ts'
import { isOpen } from './uploads.ts'

/**
 * Frees bytes that no record names: what was stored as a process died before its commit, or was to be
 * freed after it. Only for a service that holds the store alone and has not begun to accept.
 */
export async function sweepOrphans(db: Db, files: FileStore): Promise<void> {
  for await (const { blake3 } of files.list()) {
    if (!(await isNamed(db, blake3))) await files.remove(blake3)
  }
  for await (const id of files.uploads()) {
    if (!(await isOpen(db, id))) await files.discard(id)
  }
}
