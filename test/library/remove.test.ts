import { appendFile, chmod, mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ensureAccount } from '../../src/accounts/accounts.ts'
import { openDiskStore } from '../../src/files/disk.ts'
import { findGranted, grantMaterials } from '../../src/library/grants.ts'
import { openMaterialContent } from '../../src/library/material-content.ts'
import { findMaterial, openOriginal } from '../../src/library/materials.ts'
import { hasPostgres, newDatabase } from '../postgres.ts'
import { sampleCases } from '../soak-size.ts'
import { importOnce } from './import-once.ts'
import { newLibrary, rights, type TestLibrary, writeImage, writeSound } from './library.ts'

const pictures = ['a.png', 'b.png', 'c.png']

const importPictures = importOnce(async ({ media }) => {
  for (const name of pictures) await writeImage(media(name))
})

async function grant(library: TestLibrary, path: string): Promise<number> {
  const db = await library.openDb()
  await ensureAccount(db, { id: 1, name: 'local', now: 1 })
  const { id } = await db
    .selectFrom('materials')
    .select('id')
    .where('path', '=', path)
    .executeTakeFirstOrThrow()
  await db.insertInto('material_grants').values({ account_id: 1, material_id: id, granted_at: 1 }).execute()
  return id
}

async function storage(library: TestLibrary) {
  return { db: await library.openDb(), files: await openDiskStore(join(library.data, 'files')) }
}

/** Reads an original, or a range of it. */
async function read(library: TestLibrary, id: number, which: 'original' | 'accompaniment' = 'original') {
  const file = await openOriginal(await storage(library), id, which)
  return { name: file.name, bytes: await buffer(await file.read()) }
}

const databases = [
  ['SQLite', async () => newLibrary()],
  ['PostgreSQL', async () => newLibrary(await newDatabase())],
] as const

// On PostgreSQL, `grant-race.test.ts` and `pgvector.test.ts` remove, too.
describe.for(sampleCases(databases, 1))('removal on %s', ([name, create]) => {
  test.skipIf(name === 'PostgreSQL' && !hasPostgres)(
    'granted materials stay available, and an accompaniment of another state has another tag',
    async () => {
      const library = await create()
      await writeImage(library.media('a.png'))
      await writeImage(library.media('b.png'), 'blue')
      await writeSound(library.media('song.wav'))
      await writeSound(library.media('off.wav'), {}, 445)
      await writeFile(library.media('song.json'), '{"audio_type":"song","accompaniment":"off.wav"}')
      await chmod(library.media('a.png'), 0o640)
      const [image, accompaniment] = await Promise.all(
        ['a.png', 'off.wav'].map((path) => readFile(library.media(path))),
      )
      await library.run('add', library.media(), ...rights)
      const [granted, song] = [await grant(library, 'a.png'), await grant(library, 'song.wav')]
      expect(await read(library, granted)).toEqual({ name: 'a.png', bytes: image })
      expect(await read(library, song, 'accompaniment')).toEqual({ name: 'off.wav', bytes: accompaniment })
      const tag = async () =>
        (await openMaterialContent(await storage(library), { id: song, part: 'accompaniment' })).tag
      const before = await tag()
      await utimes(library.media('off.wav'), 1, 1)
      await library.run('add', library.media(), ...rights)
      expect(await tag()).not.toBe(before)

      const { out } = await library.run('remove', library.media())
      expect(out).toContain('3 materials removed; of 2 that searches returned, copies are kept')
      await rm(library.media(), { recursive: true })
      const db = await library.openDb()
      const rows = await db
        .selectFrom('materials')
        .select(['id', 'folder_id', 'state'])
        .orderBy('id')
        .execute()
      expect(rows).toEqual([granted, song].map((id) => ({ id, folder_id: null, state: 'removed' })))
      expect(await db.selectFrom('library_folders').select('id').execute()).toEqual([])
      expect(await read(library, granted)).toEqual({ name: 'a.png', bytes: image })
      expect(await read(library, song, 'accompaniment')).toEqual({ name: 'off.wav', bytes: accompaniment })
      const { thumb } = await findMaterial(db, granted)
      const { files } = await storage(library)
      expect(await files.has(thumb ?? '')).toBe(true)
      let contents = 0
      for await (const { size } of files.list()) contents += Number(size > 0)
      // Two originals, the accompaniment, a thumbnail and a preview; those of b.png are removed.
      expect(contents).toBe(5)
    },
  )
})

test('an original that was changed, deleted or is unknown is 6004', async () => {
  const library = await importPictures()
  const ids = await Promise.all(pictures.map((path) => grant(library, path)))
  await utimes(library.media('a.png'), 1, 1)
  await rm(library.media('b.png'))
  for (const id of [...ids.slice(0, 2), 99])
    await expect(read(library, id)).rejects.toMatchObject({ code: 6004 })
  await expect(read(library, ids[2] ?? 0, 'accompaniment')).rejects.toMatchObject({ code: 6004 })
  const { out } = await library.run('remove', library.media())
  expect(out).toContain('of 2 that searches returned, copies are kept; of 1 the file was moved')
  // Its hash is the same.
  expect((await read(library, ids[0] ?? 0)).name).toBe('a.png')
  await expect(read(library, ids[1] ?? 0)).rejects.toMatchObject({ code: 6004 })
  expect((await read(library, ids[2] ?? 0)).name).toBe('c.png')
})

test('a folder without its disk is not removed, and granted materials stay', async () => {
  const library = await importPictures()
  const id = await grant(library, 'a.png')
  const away = join(library.root, 'away')
  await rename(library.media(), away)
  const refused = await library.run('remove', library.media())
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toContain('cannot be read (ENOENT)')
  expect(refused.err).toContain('Mount the folder')
  // The mount point of a disk is an empty folder.
  await mkdir(library.media())
  expect((await library.run('remove', library.media())).err).toContain('is empty')
  await rm(library.media(), { recursive: true })
  await rename(away, library.media())
  expect((await read(library, id)).name).toBe('a.png')
  expect((await library.run('remove', library.media())).out).toContain('of 1 that searches returned')
  expect((await read(library, id)).name).toBe('a.png')
})

test.skipIf(process.platform === 'win32')(
  'a granted material that cannot be read now is not lost, nor replaced by what a link leads to',
  async () => {
    const library = await importPictures()
    const id = await grant(library, 'a.png')
    const away = join(library.root, 'a.png')
    await rename(library.media('a.png'), away)
    await symlink(away, library.media('a.png'))
    expect((await library.run('remove', library.media())).err).toContain('a.png cannot be read (ELOOP)')
    await rm(library.media('a.png'))
    await rename(away, library.media('a.png'))
    if (process.getuid?.() !== 0) {
      await chmod(library.media('a.png'), 0)
      expect((await library.run('remove', library.media())).err).toContain('a.png cannot be read (EACCES)')
      await chmod(library.media('a.png'), 0o600)
    }
    expect((await library.run('remove', library.media())).out).toContain('of 1 that searches returned')
    expect((await read(library, id)).name).toBe('a.png')
  },
)

test('ids and numbers of changes are not used again, and only what is still found is granted', async () => {
  const library = await importPictures()
  const db = await library.openDb()
  const columns = ['id', 'folder_id', 'updated_at'] as const
  const last = db.selectFrom('materials').select(columns).orderBy('id', 'desc')
  const before = await last.executeTakeFirstOrThrow()
  await db
    .updateTable('materials')
    .set({ updated_at: before.updated_at + 1e9 })
    .execute()
  await db
    .updateTable('library_numbers')
    .set({ last: before.updated_at + 1e9 })
    .where('name', '=', 'change')
    .execute()
  await library.run('remove', library.media())
  for (const name of pictures.slice(1)) await rm(library.media(name))
  await library.run('add', library.media(), ...rights)
  const after = await last.executeTakeFirstOrThrow()
  expect(after.id).toBeGreaterThan(before.id)
  expect(after.folder_id).toBeGreaterThan(before.folder_id ?? 0)
  expect(after.updated_at).toBeGreaterThan(before.updated_at + 1e9)
  await ensureAccount(db, { id: 1, name: 'local', now: 1 })
  const grantAll = (...ids: readonly number[]) =>
    db.transaction().execute((trx) => grantMaterials(trx, { accountId: 1, ids, now: 1 }))
  await expect(grantAll(after.id, before.id)).rejects.toMatchObject({ code: 6401, retryable: true })
  expect(await findGranted(db, { accountId: 1, ids: [after.id] })).toEqual(new Set())
  await grantAll(after.id, after.id)
  expect(await findGranted(db, { accountId: 1, ids: [after.id, before.id] })).toEqual(new Set([after.id]))
})

test('what is appended to an original while it is sent is not sent', async () => {
  const library = await importPictures()
  const id = await grant(library, 'a.png')
  const bytes = await readFile(library.media('a.png'))
  const stream = await (await openOriginal(await storage(library), id, 'original')).read()
  await appendFile(library.media('a.png'), 'more')
  expect(await buffer(stream)).toEqual(bytes)
})

test('one process at a time changes the library', async () => {
  const library = await newLibrary()
  await writeImage(library.media('a.png'))
  await mkdir(library.data, { mode: 0o700 })
  const { lockFile } = await import('../../src/platform/file-lock.ts')
  const lock = lockFile(join(library.data, 'library.lock'))
  onTestFinished(() => lock?.[Symbol.dispose]())
  const refused = await library.run('add', library.media(), ...rights)
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).toContain('another command changes the library')
})
