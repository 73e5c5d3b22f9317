import { cp, mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { dataFolders } from '../../src/daemon/data-files.ts'
import { openDatabase } from '../../src/db/open.ts'
import { saveFolder, saveMaterial } from '../../src/library/records.ts'
import { newDatabase } from '../postgres.ts'
import { newLibrary, openTestLibrary, rights, type TestLibrary } from './library.ts'

/**
 * Imports media once for the tests of a file, by the command if `add` is omitted. Returns a function that copies the
 * library, on SQLite, with its media.
 */
export function importOnce(
  write: (library: TestLibrary) => Promise<unknown>,
  add: (library: TestLibrary) => Promise<unknown> = ({ run, media }) => run('add', media(), ...rights),
): () => Promise<TestLibrary> {
  let root = ''
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'reelwright-library-'))
    await mkdir(join(root, 'media'))
    const library = openTestLibrary(root, undefined)
    await write(library)
    // Copies have times of whole milliseconds.
    for (const name of await readdir(library.media(), { recursive: true }))
      await utimes(library.media(name), 1_000, 1_000)
    await add(library)
  })
  afterAll(() => rm(root, { recursive: true, force: true }))
  return async () => {
    const library = await newLibrary()
    await cp(root, library.root, { recursive: true, preserveTimestamps: true })
    const db = await openDatabase(library.location)
    await db.updateTable('library_folders').set({ path: library.media() }).execute()
    await db.destroy()
    return library
  }
}

/** Records the materials of a library on SQLite in a new database of PostgreSQL, as an import does, without vectors. */
export async function recordOnPostgres(library: TestLibrary): Promise<TestLibrary> {
  const other = openTestLibrary(library.root, await newDatabase())
  const [from, to] = [await library.openDb(), await other.openDb()]
  const folder = await from.selectFrom('library_folders').selectAll().executeTakeFirstOrThrow()
  const { id: folderId } = await saveFolder(to, folder, 1)
  for (const content of await from.selectFrom('materials').selectAll().orderBy('id').execute())
    await to.transaction().execute((trx) => saveMaterial(trx, { id: undefined, folderId, content, now: 1 }))
  // Its files belong to the other database from now on.
  await rm(join(library.data, dataFolders.files, 'database'))
  return other
}
