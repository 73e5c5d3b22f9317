import { mkdir } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { ensureAccount } from '../../src/accounts/accounts.ts'
import { dataFiles, dataFolders } from '../../src/daemon/data-files.ts'
import type { Db } from '../../src/db/schema.ts'
import { openDiskStore } from '../../src/files/disk.ts'
import { findGranted, grantMaterials } from '../../src/library/grants.ts'
import { openOriginal } from '../../src/library/materials.ts'
import { libraryPaths, openLibrary } from '../../src/library/open-library.ts'
import { removeFolder } from '../../src/library/remove-folder.ts'
import { hasPostgres, newDatabase } from '../postgres.ts'
import { newLibrary, rights, writeImage } from './library.ts'

/** A library of one image, with an account. */
async function libraryOfOne() {
  const library = await newLibrary(await newDatabase())
  await writeImage(library.media('a.png'))
  await library.run('add', library.media(), ...rights)
  const db = await library.openDb()
  await ensureAccount(db, { id: 1, name: 'local', now: 1 })
  const { id } = await db.selectFrom('materials').select('id').executeTakeFirstOrThrow()
  return {
    ...{ db, id },
    async remove() {
      await mkdir(library.data, { recursive: true })
      using opened = await openLibrary(db, libraryPaths(library.data, { ...dataFiles, ...dataFolders }))
      return await removeFolder(opened, library.media(), () => 2)
    },
    async original() {
      const files = await openDiskStore(join(library.data, dataFolders.files))
      return await buffer(await (await openOriginal({ db, files }, id, 'original')).read())
    },
  }
}

/** Resolves once that many transactions wait for another one, or the work has ended. */
async function untilWaiting(db: Db, count: number, work: Promise<unknown>): Promise<void> {
  let isDone = false
  const end = () => (isDone = true)
  work.then(end, end)
  while (!isDone) {
    const { rows } = await sql<{ total: number }>`select count(*) as total from pg_stat_activity
      where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`.execute(db)
    if ((rows[0]?.total ?? 0) >= count) return
  }
}

describe.skipIf(!hasPostgres)('a removal during a grant on PostgreSQL', () => {
  test('keeps a copy of what is granted before it deletes', async () => {
    const { db, id, remove, original } = await libraryOfOne()
    const bytes = await original()
    let removal: ReturnType<typeof remove> | undefined
    await db.transaction().execute(async (trx) => {
      await grantMaterials(trx, { accountId: 1, ids: [id], now: 1 })
      removal = remove()
      await untilWaiting(db, 1, removal)
    })
    expect(await removal).toMatchObject({ removed: 0, kept: 1, lost: 0 })
    expect(await original()).toEqual(bytes)
  })

  test('does not delete what a grant has just found', async () => {
    const { db, id, remove, original } = await libraryOfOne()
    const bytes = await original()
    let grant: Promise<void> | undefined
    let removal: ReturnType<typeof remove> | undefined
    await db.transaction().execute(async (trx) => {
      // A grant finds the material, and waits before it is recorded.
      await sql`lock table material_grants in share row exclusive mode`.execute(trx)
      grant = db.transaction().execute((one) => grantMaterials(one, { accountId: 1, ids: [id], now: 1 }))
      await untilWaiting(db, 1, grant)
      removal = remove()
      await untilWaiting(db, 2, removal)
    })
    await grant
    expect(await removal).toMatchObject({ removed: 0, kept: 1, lost: 0 })
    expect(await findGranted(db, { accountId: 1, ids: [id] })).toEqual(new Set([id]))
    expect(await original()).toEqual(bytes)
  })
})
