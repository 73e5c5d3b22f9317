import { mkdir, rename, rm } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { ensureAccount } from '../../src/accounts/accounts.ts'
import { dataFiles, dataFolders } from '../../src/daemon/data-files.ts'
import type { Db } from '../../src/db/schema.ts'
import { openDiskStore } from '../../src/files/disk.ts'
import { examineOriginal } from '../../src/library/gone-originals.ts'
import { findGranted, grantMaterials } from '../../src/library/grants.ts'
import { findMaterial, openOriginal } from '../../src/library/materials.ts'
import { libraryPaths, openLibrary } from '../../src/library/open-library.ts'
import { moveMaterial } from '../../src/library/records.ts'
import { removeFolder } from '../../src/library/remove-folder.ts'
import { hasPostgres } from '../postgres.ts'
import { importOnce, recordOnPostgres } from './import-once.ts'
import { addWithModel, rights, writeImage } from './library.ts'
import { colourModel } from './stand-in-model.ts'

const importPicture = importOnce(({ media }) => writeImage(media('a.png')))

/** A library of one image, with an account. */
async function libraryOfOne() {
  const library = await recordOnPostgres(await importPicture())
  const db = await library.openDb()
  await ensureAccount(db, { id: 1, name: 'local', now: 1 })
  const { id } = await db.selectFrom('materials').select('id').executeTakeFirstOrThrow()
  return {
    ...{ library, db, id },
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

describe.skipIf(!hasPostgres)('an import on PostgreSQL', () => {
  test('that moves a file over another one waits for a grant of that', async () => {
    const { library, db, id } = await libraryOfOne()
    await writeImage(library.media('b.png'), 'blue', 3)
    await library.run('add', library.media(), ...rights)
    await rename(library.media('b.png'), library.media('a.png'))
    let added: ReturnType<typeof addWithModel> | undefined
    await db.transaction().execute(async (trx) => {
      await grantMaterials(trx, { accountId: 1, ids: [id], now: 1 })
      added = addWithModel(library, colourModel())
      await untilWaiting(db, 1, added)
    })
    expect(await added).toMatchObject({ moved: 1 })
    expect(await findMaterial(db, id)).toMatchObject({ folder_id: null, state: 'removed' })
  })

  test('that restores a material is not undone by a search that found its file gone before', async () => {
    const { library, db, id } = await libraryOfOne()
    const row = await findMaterial(db, id)
    await rm(library.media('a.png'))
    await writeImage(library.media('b.png'), 'blue', 3)
    let examined: Promise<unknown> | undefined
    await db.transaction().execute(async (trx) => {
      await moveMaterial(trx, row, { state: 'active', now: Date.now() })
      examined = examineOriginal(db, row)
      await untilWaiting(db, 1, examined)
    })
    await examined
    expect(await findMaterial(db, id)).toMatchObject({ state: 'active' })
  })
})
