import { once } from 'node:events'
import { expect, test } from 'vitest'
import { insertKey } from '../../src/accounts/keys.ts'
import { issueEventTicket } from '../../src/accounts/tickets.ts'
import { sweepHourly } from '../../src/service/sweep.ts'
import { newKey } from '../../src/platform/hosting.ts'
import { chunkedUploadClient } from '../http/chunked-upload-client.ts'
import { onDatabases } from '../http/on-databases.ts'
import { api, pollUntil } from './api.ts'
import { checkInvariants } from './invariants.ts'

const dayMs = 24 * 3600 * 1000

onDatabases('the sweep', (service) => {
  const parts = () => service().running.service
  /** Runs the sweep of this many days from now. */
  const sweepIn = async (days: number) => {
    const later = { ...parts(), clock: () => Date.now() + days * dayMs }
    const sweepDone = Promise.withResolvers<void>()
    await using _ = sweepHourly(later, async (signal) => {
      sweepDone.resolve()
      if (!signal.aborted) await once(signal, 'abort')
    })
    await sweepDone.promise
  }

  test('removes the content of expired files; uploaded again they keep their id', async () => {
    const calls = api(await service().account(0))
    const { data: file } = await calls.upload('a.txt', 'kept for a while')
    await sweepIn(59)
    expect(await parts().files.has(file.blake3_id)).toBe(true)
    await sweepIn(61)
    expect(await parts().files.has(file.blake3_id)).toBe(false)
    const { data: again } = await calls.upload('b.txt', 'kept for a while')
    expect(again.file_id).toBe(file.file_id)
    expect(Buffer.from(await calls.download(again.file_id)).toString()).toBe('kept for a while')
    await checkInvariants(parts().db, parts().files)
  })

  test('keeps content that another record or an unfinished task needs', async () => {
    const one = await service().account(1)
    const calls = api(one)
    const other = api(await service().account(0))
    const { data: shared } = await calls.upload('a.txt', 'named by two')
    const { data: otherFile } = await other.upload('a.txt', 'named by two')
    const { data: needed } = await calls.upload('b.txt', 'needed by a task')
    const { data: task } = await calls.create('test_copy', { file_id: needed.file_id, behaviour: 'wait' })
    await parts()
      .db.updateTable('files')
      .set({ expire_at: Date.now() - 1 })
      .where('id', 'in', [shared.file_id, needed.file_id])
      .execute()
    await sweepIn(0)
    expect(Buffer.from(await other.download(otherFile.file_id)).toString()).toBe('named by two')
    expect(await parts().files.has(needed.blake3_id)).toBe(true)
    expect((await calls.send(`/base/file/${needed.file_id}`)).code).toBe(6004)
    await calls.stop(task.task_id)
    await sweepIn(0)
    expect(await parts().files.has(needed.blake3_id)).toBe(false)
    await sweepIn(61)
    expect(await parts().files.has(shared.blake3_id)).toBe(false)
  })

  test('removes expired uploads, idempotency keys, events and tickets', async () => {
    const account = await service().account(1)
    const calls = api(account)
    const { db } = parts()
    const { data: upload } = await chunkedUploadClient(account).init({ filename: 'a.txt', size: 5 })
    const { data: file } = await calls.upload('a.txt', 'some bytes')
    const { data: task } = await calls.send<{ task_id: string }>('/task/test_copy', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
      body: JSON.stringify({ file_id: file.file_id }),
    })
    await pollUntil(
      () => calls.query('test_copy', task.task_id),
      ({ data }) => data.status === 'completed',
    )
    const key = await db
      .selectFrom('api_keys')
      .select('id')
      .where('account_id', '=', account.id)
      .executeTakeFirstOrThrow()
    await issueEventTicket(db, { accountId: account.id, keyId: key.id }, Date.now())
    const left = async () => {
      const tables = ['uploads', 'idempotency_keys', 'events', 'tickets'] as const
      const counts = tables.map(async (table) => {
        const rows = await db
          .selectFrom(table)
          .select('account_id')
          .where('account_id', '=', account.id)
          .execute()
        return rows.length > 0 ? [table] : []
      })
      return (await Promise.all(counts)).flat()
    }
    await sweepIn(0)
    expect(await left()).toEqual(['uploads', 'idempotency_keys', 'events', 'tickets'])
    await sweepIn(0.9)
    expect(await left()).toEqual(['uploads', 'idempotency_keys', 'events'])
    await sweepIn(2)
    expect(await left()).toEqual(['uploads', 'events'])
    await sweepIn(3.1)
    expect(await left()).toEqual(['events'])
    expect((await chunkedUploadClient(account).status(upload.upload_id)).code).toBe(6024)
    await sweepIn(8)
    expect(await left()).toEqual([])
  })

  test('removes expired keys, including those with a ticket', async () => {
    const { db } = parts()
    const account = await service().account(0)
    const [now, expireAt] = [Date.now(), Date.now() + 5 * dayMs]
    const keyId = await insertKey(db, { accountId: account.id, name: 'brief', raw: newKey(), now, expireAt })
    await issueEventTicket(db, { accountId: account.id, keyId }, expireAt - 1000)
    const left = async () => {
      const keys = await db
        .selectFrom('api_keys')
        .select('name')
        .where('account_id', '=', account.id)
        .execute()
      return keys.map(({ name }) => name).toSorted()
    }
    // One day later, because a request with the key may still be running.
    await sweepIn(5.9)
    expect(await left()).toEqual(['brief', 'test'])
    await sweepIn(6.0001)
    expect(await left()).toEqual(['test'])
  })

  test('continues after a partial failure, and sweeps again', async () => {
    const { db, files } = parts()
    const { data: file } = await api(await service().account(0)).upload('a.txt', 'a stubborn disk')
    let fails = true
    const failingStore = {
      ...files,
      async remove(blake3: string) {
        if (fails) throw new Error('the disk does not respond')
        await files.remove(blake3)
      },
    }
    const later = { ...parts(), files: failingStore, clock: () => Date.now() + 100 * dayMs }
    const sweptTwice = Promise.withResolvers<void>()
    let sweepCount = 0
    await using _ = sweepHourly(later, async (signal) => {
      fails = false
      sweepCount += 1
      if (sweepCount < 2) return
      sweptTwice.resolve()
      if (!signal.aborted) await once(signal, 'abort')
    })
    await sweptTwice.promise
    const row = await db
      .selectFrom('files')
      .select('removed_at')
      .where('id', '=', file.file_id)
      .executeTakeFirst()
    expect(row?.removed_at).not.toBeNull()
    expect(await db.selectFrom('events').select('seq').execute()).toEqual([])
  })
})
