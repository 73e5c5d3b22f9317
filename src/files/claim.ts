import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import type { Db } from '../db/schema.ts'
import { writeDurably } from '../platform/durable.ts'
import { errorCode } from '../platform/error-code.ts'

/**
 * Binds a store's folder to a database for good; 6401 when it is another's, on which every file here
 * would be an orphan to be swept.
 */
export async function claimStore(db: Db, folder: string): Promise<void> {
  const { id } = await db.selectFrom('identity').select('id').executeTakeFirstOrThrow()
  const marker = join(folder, 'database')
  const owner = await readFile(marker, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  })
  if (owner === null) return await writeDurably(marker, id)
  if (owner === id) return
  throw new MediaError(6401, `${folder} holds the files of another database`, {
    retryable: false,
    hint: 'Use another data folder with this database, or bring back the database the files belong to.',
  })
}
