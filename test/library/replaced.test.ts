import { rename, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ensureAccount } from '../../src/accounts/accounts.ts'
import { openDiskStore } from '../../src/files/disk.ts'
import { findMaterial, openOriginal } from '../../src/library/materials.ts'
import { hasPostgres, newDatabase } from '../postgres.ts'
import { sampleCases } from '../soak-size.ts'
import { importOnce } from './import-once.ts'
import { addWithModel, newLibrary, type TestLibrary, writeImage } from './library.ts'
import { colourModel } from './stand-in-model.ts'

const add = (library: TestLibrary) => addWithModel(library, colourModel())

/** Grants the material of a path to an account. Returns its id. */
async function grant(library: TestLibrary, path: string): Promise<number> {
  const db = await library.openDb()
  await ensureAccount(db, { id: 1, name: 'local', now: 1 })
  const material = await db
    .selectFrom('materials')
    .selectAll()
    .where('path', '=', path)
    .executeTakeFirstOrThrow()
  await db
    .insertInto('material_grants')
    .values({ account_id: 1, material_id: material.id, granted_at: 1 })
    .execute()
  return material.id
}

/** Returns ids and paths of the materials that are found, in the order of their paths. */
async function found(library: TestLibrary) {
  const db = await library.openDb()
  const rows = await db
    .selectFrom('materials')
    .select(['id', 'path'])
    .where('state', '=', 'active')
    .orderBy('path')
    .execute()
  return rows.map(({ id, path }) => [id, path])
}

/** Replaces a file by another picture. */
async function replace(library: TestLibrary, name: string): Promise<void> {
  await writeImage(join(library.root, 'other.png'), 'blue', 5)
  await rename(join(library.root, 'other.png'), library.media(name))
}

const writePicture = ({ media }: TestLibrary) => writeImage(media('a.png'), 'red')

/** Creates a library of one picture on PostgreSQL. */
async function importOnPostgres(): Promise<TestLibrary> {
  const library = await newLibrary(await newDatabase())
  await writePicture(library)
  await add(library)
  return library
}

// On PostgreSQL, `grant-race.test.ts` and `pgvector.test.ts` replace files, too.
const databases = sampleCases(
  [
    ['SQLite', importOnce(writePicture, add)],
    ['PostgreSQL', importOnPostgres],
  ] as const,
  1,
)

describe.for(databases)('a file that replaces another one, on %s', ([name, create]) => {
  const isMissing = name === 'PostgreSQL' && !hasPostgres

  test.skipIf(isMissing)(
    'is a new material, which those who received the earlier one do not receive',
    async () => {
      const library = await create()
      const granted = await grant(library, 'a.png')
      await replace(library, 'a.png')
      expect(await add(library)).toMatchObject({ changed: 1, imported: 0 })
      expect(await found(library)).toEqual([[expect.any(Number), 'a.png']])
      const [[id] = []] = await found(library)
      expect(id).toBeGreaterThan(granted)
      const db = await library.openDb()
      expect(await db.selectFrom('material_grants').select('material_id').execute()).toEqual([
        { material_id: granted },
      ])
      expect(await db.selectFrom('material_vectors').select('material_id').execute()).toEqual([
        { material_id: id },
      ])
      const files = await openDiskStore(join(library.data, 'files'))
      await expect(openOriginal({ db, files }, granted, 'original')).rejects.toMatchObject({ code: 6004 })
      // What it showed stays with those who received it.
      const { thumb, state } = await findMaterial(db, granted)
      expect([state, await files.has(thumb ?? '')]).toEqual(['removed', true])
    },
  )

  test.skipIf(isMissing)('leaves nothing of the earlier one if nobody received that', async () => {
    const library = await create()
    const [[before] = []] = await found(library)
    const db = await library.openDb()
    const { thumb } = await findMaterial(db, Number(before))
    await replace(library, 'a.png')
    await add(library)
    expect(await db.selectFrom('materials').select('path').execute()).toEqual([{ path: 'a.png' }])
    const [[after] = []] = await found(library)
    expect(after).toBeGreaterThan(Number(before))
    expect(await (await openDiskStore(join(library.data, 'files'))).has(thumb ?? '')).toBe(false)
  })

  test.skipIf(isMissing)('keeps its id if it was moved there', async () => {
    const library = await create()
    await writeImage(library.media('b.png'), 'blue', 3)
    await add(library)
    const [first, second] = [await grant(library, 'a.png'), await grant(library, 'b.png')]
    await rename(library.media('b.png'), library.media('a.png'))
    expect(await add(library)).toMatchObject({ moved: 1, changed: 0, missing: 0 })
    expect(await found(library)).toEqual([[second, 'a.png']])
    expect(await findMaterial(await library.openDb(), first)).toMatchObject({
      folder_id: null,
      state: 'removed',
    })
  })

  test.skipIf(isMissing)('keeps its id if it has the same content', async () => {
    const library = await create()
    const id = await grant(library, 'a.png')
    await utimes(library.media('a.png'), 1, 1)
    expect(await add(library)).toMatchObject({ changed: 1 })
    expect(await found(library)).toEqual([[id, 'a.png']])
  })
})
