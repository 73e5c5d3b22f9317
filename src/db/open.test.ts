import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from './open.ts'

test('an interrupted migration is completed at the next start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-tables-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'reelwright.sqlite')
  // Conflicts with one of the last tables, so that the migration fails late.
  const sqlite = new DatabaseSync(path)
  sqlite.exec('create table tickets (hash text)')
  await expect(openDatabase({ path })).rejects.toThrow('table "tickets" already exists')
  sqlite.exec('drop table tickets')
  sqlite.close()
  const db = await openDatabase({ path })
  await expect(db.selectFrom('tickets').selectAll().execute()).resolves.toEqual([])
  await db.destroy()
})
