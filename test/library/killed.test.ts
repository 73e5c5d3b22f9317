import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ensureAccount } from '../../src/accounts/accounts.ts'
import { openDiskStore } from '../../src/files/disk.ts'
import { removeOrphans } from '../../src/files/removal.ts'
import { sampleCases } from '../soak-size.ts'
import { newLibrary, rights, type TestLibrary, writeImage, writeVideo } from './library.ts'

const entry = join(import.meta.dirname, 'entry.ts')

/** Runs a command of the library in a process that is killed at a failpoint. Returns its signal. */
async function runUntilKilled(
  library: TestLibrary,
  point: string,
  args: readonly string[],
): Promise<unknown> {
  const env = { ...process.env, REELWRIGHT_DATA_DIR: library.data }
  const all = [entry, point, ...args]
  return await promisify(execFile)(process.execPath, all, { env }).then(
    () => null,
    (error: { signal: unknown }) => error.signal,
  )
}

/** Returns the number of stored contents after what nothing references is removed, as by a start of the service. */
async function countContents(library: TestLibrary): Promise<number> {
  const files = await openDiskStore(join(library.data, 'files'))
  await removeOrphans(await library.openDb(), files)
  let count = 0
  for await (const { size } of files.list()) count += Number(size > 0)
  return count
}

const importKills = [
  ['library.material.saved', '2'],
  ['files.put.renamed', '1'],
  ['library.content.stored', '2'],
  ['library.file.imported', '1'],
] as const

test.for(sampleCases(importKills, 1))(
  'an import that is killed at %s continues, and nothing is imported twice',
  async ([point, hit]) => {
    const library = await newLibrary()
    await writeImage(library.media('a.png'), 'red', 1)
    await writeImage(library.media('b.png'), 'blue', 2)
    await writeVideo(library.media('c.mp4'), 'red')
    const args = ['library', 'add', library.media(), ...rights]
    expect(await runUntilKilled(library, point, [hit, ...args])).toBe('SIGKILL')
    const { code, out } = await library.run('add', library.media(), ...rights)
    expect(code).toBe(0)
    expect(out).not.toContain('skipped')
    const db = await library.openDb()
    const rows = await db.selectFrom('materials').select(['path', 'state']).orderBy('path').execute()
    expect(rows).toEqual(['a.png', 'b.png', 'c.mp4'].map((path) => ({ path, state: 'active' })))
    expect((await library.run('list')).out).toMatch(/^1 +2 +0 +0 /m)
    // A cover and a preview of the video, and two thumbnails.
    expect(await countContents(library)).toBe(4)
    expect((await library.run('add', library.media(), ...rights)).out).toContain('0 imported, 3 unchanged')
  },
)

test.for(sampleCases(['library.remove.copied', 'library.remove.hidden', 'files.put.renamed'], 1))(
  'a removal that is killed at %s continues, and granted materials are kept',
  async (point) => {
    const library = await newLibrary()
    await writeImage(library.media('a.png'), 'red', 1)
    await writeImage(library.media('b.png'), 'blue', 2)
    await library.run('add', library.media(), ...rights)
    const db = await library.openDb()
    await ensureAccount(db, { id: 1, name: 'local', now: 1 })
    const [{ id } = { id: 0 }] = await db
      .selectFrom('materials')
      .select('id')
      .where('path', '=', 'a.png')
      .execute()
    await db.insertInto('material_grants').values({ account_id: 1, material_id: id, granted_at: 1 }).execute()
    expect(await runUntilKilled(library, point, ['1', 'library', 'remove', library.media()])).toBe('SIGKILL')
    expect((await library.run('remove', library.media())).out).toContain('of 1 that searches returned')
    const rows = await db.selectFrom('materials').select(['id', 'state', 'kept', 'blake3']).execute()
    expect(rows).toEqual([{ id, state: 'removed', kept: rows[0]?.blake3, blake3: rows[0]?.blake3 }])
    // The original and its thumbnail.
    expect(await countContents(library)).toBe(2)
    expect((await library.run('list')).out.trim().split('\n')).toHaveLength(1)
  },
)
