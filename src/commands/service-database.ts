import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { MediaError } from '../contract/errors.ts'
import { dataFiles } from '../daemon/data-files.ts'
import { prepareDataFolder } from '../daemon/data-folder.ts'
import { lockDataFolder } from '../daemon/lock.ts'
import { lockDatabase } from '../db/database-lock.ts'
import { openCurrentDatabase, openDatabase } from '../db/open.ts'
import type { Db } from '../db/schema.ts'
import { CleanupStack } from '../platform/cleanup-stack.ts'

/** Opens the database, which a service may be using; migrates it only while none is. */
export async function openServiceDatabase({
  dataDir,
  databaseUrl,
}: Config): Promise<AsyncDisposable & { readonly db: Db }> {
  if (databaseUrl === undefined) await prepareDataFolder(dataDir)
  const location =
    databaseUrl === undefined ? { path: join(dataDir, dataFiles.database) } : { url: databaseUrl }
  const current = await openCurrentDatabase(location)
  if (current) return disposable(current)
  using folder = 'path' in location ? lockDataFolder(dataDir) : null
  if ('path' in location && !folder) {
    throw new MediaError(6401, `a service of another version runs on ${dataDir}`, {
      retryable: false,
      hint: 'Stop it, or restart it with this version, then repeat the command.',
    })
  }
  await using locks = new CleanupStack()
  locks.use(await lockDatabase(location))
  return disposable(await openDatabase(location))
}

function disposable(db: Db): AsyncDisposable & { readonly db: Db } {
  return { db, [Symbol.asyncDispose]: () => db.destroy() }
}
