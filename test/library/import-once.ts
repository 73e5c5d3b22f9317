import { cp, mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { openDatabase } from '../../src/db/open.ts'
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
