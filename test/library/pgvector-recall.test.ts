import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/db/open.ts'
import type { Db } from '../../src/db/schema.ts'
import { openEmbeddings } from '../../src/library/build-embeddings.ts'
import { DatabaseIndex } from '../../src/library/database-index.ts'
import { areEmbeddingsComplete } from '../../src/library/embeddings.ts'
import { deleteMaterial } from '../../src/library/records.ts'
import { ScannedIndex } from '../../src/library/scanned-index.ts'
import { startEmbeddedPostgres } from '../pgvector.ts'
import { soakSize } from '../soak-size.ts'
import { createPictures, exactOrder, insertPictures, type TestPicture } from './many-pictures.ts'

const log = pino({ enabled: false })

async function countEmbeddings(db: Db): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from material_embeddings`.execute(db)
  return rows[0]?.total ?? 0
}

/** Returns the share of the ten nearest materials that the index returns first. Compares all cosines. */
async function recall(
  index: DatabaseIndex,
  pictures: readonly TestPicture[],
  queries: readonly Float32Array[],
): Promise<number> {
  let [found, wanted] = [0, 0]
  for (const query of queries) {
    for (const scope of ['image', 'clip'] as const) {
      const exact = exactOrder(pictures, query, scope)
      const cosines = new Map(exact)
      const near = await index.nearest(query, { scope, others: [] })
      for (const [id, cosine] of near) expect([id, cosine]).toEqual([id, cosines.get(id)])
      const first = [...near].toSorted(([id, cosine], [other, least]) => least - cosine || id - other)
      const ids = new Set(first.slice(0, 10).map(([id]) => id))
      found += exact.slice(0, 10).filter(([id]) => ids.has(id)).length
      wanted += 10
    }
  }
  return found / wanted
}

/** Images, and clips of five pictures each. The short form still has more than a search of the graph collects. */
const [images, clips] = soakSize([1450, 50], [4200, 200])

test(`pgvector finds the nearest of ${images + 5 * clips} pictures with the scores of an exact scan, also after removals`, async () => {
  const server = await startEmbeddedPostgres({ hasPgvector: true })
  const db = await openDatabase({ url: server.url })
  onTestFinished(() => db.destroy())
  const { pictures, queries } = createPictures({ images, clips })
  await insertPictures(db, pictures)
  const active = pictures.filter(({ state }) => state === 'active')

  const interrupted = await openEmbeddings({ db, log })
  await expect.poll(() => countEmbeddings(db)).toBeGreaterThan(0)
  await interrupted[Symbol.asyncDispose]()
  const added = await countEmbeddings(db)
  expect(added).toBeLessThan(active.length)
  expect(await areEmbeddingsComplete(db)).toBe(false)
  const opened = await openEmbeddings({ db, log })
  onTestFinished(() => opened[Symbol.asyncDispose]())
  await expect.poll(() => areEmbeddingsComplete(db), { timeout: 170_000 }).toBe(true)
  expect(await countEmbeddings(db)).toBe(active.length)

  const index = new DatabaseIndex(db)
  await index.refresh()
  expect([index.size, index.space('clip')]).toEqual([new Set(active.map(({ id }) => id)).size, 'many'])
  expect(await recall(index, active, queries)).toBeGreaterThanOrEqual(0.98)

  const scanned = new ScannedIndex(db)
  await scanned.refresh()
  // Materials that only words recall.
  const [query = new Float32Array(1024)] = queries
  const others = exactOrder(active, query, 'image')
    .slice(-5)
    .map(([id]) => id)
  const [own, scan] = [
    await index.nearest(query, { scope: 'image', others }),
    await scanned.nearest(query, { scope: 'image', others }),
  ]
  for (const id of others) expect([id, own.get(id)]).toEqual([id, scan.get(id)])

  // All that the graph leads to is deleted, and not yet cleared away.
  const nearest = new Set(
    exactOrder(active, query, 'image')
      .slice(0, 1200)
      .map(([id]) => id),
  )
  await db.transaction().execute(async (trx) => {
    for (const id of nearest) await deleteMaterial(trx, id)
  })
  const left = active.filter(({ id }) => !nearest.has(id))
  expect(await countEmbeddings(db)).toBe(left.length)
  expect(await recall(index, left, queries.slice(0, 3))).toBeGreaterThanOrEqual(0.98)
})
