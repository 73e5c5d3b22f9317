import { rename, rm, utimes } from 'node:fs/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { libraryScopes, type LibraryScope } from '../../src/contract/library.ts'
import type { Db } from '../../src/db/schema.ts'
import { openEmbeddings } from '../../src/library/build-embeddings.ts'
import { DatabaseIndex } from '../../src/library/database-index.ts'
import { areEmbeddingsComplete, hasEmbeddings } from '../../src/library/embeddings.ts'
import { toFloats } from '../../src/library/exact-cosines.ts'
import { ScannedIndex } from '../../src/library/scanned-index.ts'
import { openLibrarySearch } from '../../src/library/search.ts'
import { startEmbeddedPostgres } from '../pgvector.ts'
import { hasPostgres, newDatabase } from '../postgres.ts'
import { soakSize } from '../soak-size.ts'
import {
  addWithModel,
  newLibrary,
  openTestLibrary,
  rights,
  type TestLibrary,
  writeImage,
  writeVideo,
} from './library.ts'
import { colourModel, unitVector } from './stand-in-model.ts'

/** Prepares a database as the start of a service does. Returns the lines of its log. */
async function prepare(db: Db): Promise<string[]> {
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => lines.push((JSON.parse(line) as { msg: string }).msg) })
  const opened = await openEmbeddings({ db, log })
  onTestFinished(() => opened[Symbol.asyncDispose]())
  return lines
}

/** Returns what a search finds by a vector of each scope. */
async function search(
  library: TestLibrary,
  queries: readonly (readonly [scope: LibraryScope, colours: readonly number[]])[],
) {
  await using librarySearch = openLibrarySearch(library.location)
  return await Promise.all(
    queries.map(([scope, colours]) => {
      const vector = { space: 'colours-1', values: unitVector([colours]) }
      return librarySearch.find({ scope, text: '', vector, limit: 20, diversity: false })
    }),
  )
}

/** Vectors of the active materials, and those of pgvector. */
async function readBoth(db: Db) {
  const stored = await db
    .selectFrom('material_vectors')
    .innerJoin('materials', 'materials.id', 'material_id')
    .select(['material_id', 'part', 'scope', 'vector'])
    .where('state', '=', 'active')
    .orderBy('material_id')
    .orderBy('part')
    .execute()
  const { rows } = await sql<{ vector: number[] }>`
    select material_id, part, scope, embedding::real[] as vector from material_embeddings
    order by material_id, part`.execute(db)
  return {
    stored: stored.map(({ vector, ...key }) => ({ ...key, vector: [...toFloats(vector)] })),
    embedded: rows.map(({ vector, ...key }) => ({ ...key, vector: [...Float32Array.from(vector)] })),
  }
}

test('a library from before pgvector is searched by it, and changes keep both in step', async () => {
  const bare = await startEmbeddedPostgres({ hasPgvector: false })
  const before = await newLibrary(bare.url)
  await writeImage(before.media('red.png'), 'red', 1)
  await writeImage(before.media('blue.png'), 'blue', 2)
  await writeVideo(before.media('two.mp4'), 'blue', 'lime')
  await addWithModel(before, colourModel())
  const first = await before.openDb()
  expect(await prepare(first)).toEqual([
    'the vectors of the library are searched by a scan, without pgvector: the extension is not installed on the server',
  ])
  const [red, green] = [
    [1, 0.1, 0.2],
    [0.1, 1, 0.3],
  ]
  const queries = [
    ['image', red],
    ['clip', green],
  ] as const
  const scanned = await search(before, queries)
  expect(scanned.map(({ results }) => results.length)).toEqual([2, 1])
  await first.destroy()

  const server = await startEmbeddedPostgres({ hasPgvector: true, data: await bare.stop() })
  const library = openTestLibrary(before.root, server.url)
  const db = await library.openDb()
  await server.exec('create role member; grant all on all tables in schema public to member; set role member')
  expect(await prepare(db)).toEqual([expect.stringContaining('without pgvector: permission denied')])
  await server.exec(`reset role; create extension vector; update pg_extension set extversion = '0.4.4'`)
  expect(await prepare(db)).toEqual([expect.stringContaining('version 0.4.4 is older than 0.5')])
  expect(await hasEmbeddings(db)).toBe(false)
  await server.exec('drop extension vector')
  const lines = await prepare(db)
  await expect.poll(() => areEmbeddingsComplete(db)).toBe(true)
  expect(lines[0]).toMatch(/^the vectors of the library are searched by pgvector 0\.\d/)

  const compare = async () => {
    const { stored, embedded } = await readBoth(db)
    expect(embedded).toEqual(stored)
    const indexes = [new ScannedIndex(db), new DatabaseIndex(db)]
    for (const index of indexes) await index.refresh()
    for (const scope of ['image', 'clip'] as const) {
      const [scan, own] = await Promise.all(
        indexes.map(async (index) => await index.nearest(unitVector([green]), { scope, others: [] })),
      )
      expect(own).toEqual(scan)
    }
    const facts = indexes.map((index) => [index.size, ...libraryScopes.map((scope) => index.space(scope))])
    expect(facts[1]).toEqual(facts[0])
    return embedded.length
  }
  expect(await compare()).toBe(4)
  expect(await search(library, queries)).toEqual(scanned)

  await writeImage(library.media('new.png'), 'lime', 3)
  await writeImage(library.media('red.png'), 'blue', 1)
  await rename(library.media('two.mp4'), library.media('moved.mp4'))
  await rename(library.media('blue.png'), `${library.root}/blue.png`)
  expect(await addWithModel(library, colourModel())).toMatchObject({
    ...{ imported: 1, changed: 1, moved: 1, missing: 1 },
  })
  expect(await compare()).toBe(4)
  await rename(`${library.root}/blue.png`, library.media('blue.png'))
  await rename(library.media('new.png'), `${library.root}/new.png`)
  expect(await addWithModel(library, colourModel())).toMatchObject({ restored: 1, missing: 1 })
  expect(await compare()).toBe(4)
  // Equal bytes keep their vectors, which pgvector no longer has.
  await rename(`${library.root}/new.png`, library.media('new.png'))
  await utimes(library.media('new.png'), 1, 1)
  expect(await addWithModel(library, colourModel())).toMatchObject({ changed: 1 })
  expect(await compare()).toBe(5)
  await library.run('remove', library.media())
  expect(await readBoth(db)).toEqual({ stored: [], embedded: [] })

  // A dropped extension takes the column with it; the next start creates the table again.
  await server.exec('drop extension vector cascade')
  expect(await hasEmbeddings(db)).toBe(false)
  for (const name of soakSize(['red.png', 'new.png', 'moved.mp4'], [])) await rm(library.media(name))
  await addWithModel(library, colourModel())
  await prepare(db)
  await expect.poll(() => areEmbeddingsComplete(db)).toBe(true)
  expect(await compare()).toBe(soakSize(1, 5))
})

test.skipIf(!hasPostgres)('a server without pgvector is searched by a scan', async () => {
  const library = await newLibrary(await newDatabase())
  const db = await library.openDb()
  expect(await prepare(db)).toEqual([expect.stringContaining('searched by a scan, without pgvector')])
  expect(await areEmbeddingsComplete(db)).toBe(false)
})

test('a database of SQLite needs no preparation', async () => {
  const library = await newLibrary()
  await library.run('add', library.media(), ...rights)
  expect(await prepare(await library.openDb())).toEqual([])
})
