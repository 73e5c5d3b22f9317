import { Readable } from 'node:stream'
import type { KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { removeOrphans } from '../../src/files/removal.ts'
import { onNewDatabases } from '../http/on-databases.ts'
import { api } from '../service/api.ts'
import { imageModule } from '../service/image-operation.ts'

/** Counts the queries of a database. */
function queryCounter(): KyselyPlugin & { readonly count: () => number } {
  let queries = 0
  return {
    count: () => queries,
    transformQuery({ node }) {
      queries += 1
      return node
    },
    transformResult: async ({ result }) => result,
  }
}

onNewDatabases('content without a record', (start) => {
  test('is removed, in as few queries for many referenced contents as for one', async () => {
    await using service = await start({ operations: [imageModule] })
    const calls = api(await service.account(20))
    const { db, files } = service.running.service
    const image = Buffer.from('\x89PNG\r\n\x1a\nan image of a task', 'latin1').toString('base64')
    const { data: task } = await calls.create('test_images', { input: [{ image }], wait: true })
    const hashes = async () => {
      const listed: string[] = []
      for await (const { blake3 } of files.list()) listed.push(blake3)
      return listed.toSorted()
    }
    const queries: number[] = []
    for (const uploads of [1, 20]) {
      for (let index = 0; index < uploads; index += 1) await calls.upload('a.txt', `kept ${uploads} ${index}`)
      const kept = await hashes()
      const { blake3 } = await files.put(Readable.from([Buffer.from(`orphan ${uploads}`)]), 100)
      expect(await hashes()).toEqual([...kept, blake3].toSorted())
      const counter = queryCounter()
      await removeOrphans(db.withPlugin(counter), files)
      expect(await hashes()).toEqual(kept)
      queries.push(counter.count())
    }
    expect(await hashes()).toHaveLength(22)
    expect(queries[1]).toBe(queries[0])
    await calls.stop(task.task_id)
  })
})
