import { execFile } from 'node:child_process'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { isTerminal } from '../../src/contract/task.ts'
import { hasPostgres, newDatabase } from '../postgres.ts'
import { api, pollUntil } from './api.ts'
import { createTestDisk, diskUnavailableReason, fillDisk } from './disk.ts'
import { startTestService } from './in-process.ts'
import { checkInvariants } from './invariants.ts'

const reason = hasPostgres ? await diskUnavailableReason() : 'Debian package postgresql'

/** A database whose tables are on a disk of their own. Its log stays elsewhere: without it, the server would stop. */
async function databaseOnDisk(folder: string): Promise<{ url: string } & AsyncDisposable> {
  const tables = join(folder, 'tables')
  await mkdir(tables)
  // The server runs as another user.
  await chmod(dirname(folder), 0o711)
  await promisify(execFile)('chown', ['postgres:', tables])
  const [admin, url] = [new pg.Client(await newDatabase()), await newDatabase()]
  const name = new URL(url).pathname.slice(1)
  await admin.connect()
  await admin.query(`create tablespace disk_of_${name} location '${tables}'`)
  await admin.query(`alter database ${name} set tablespace disk_of_${name}`)
  return {
    url,
    async [Symbol.asyncDispose]() {
      await admin.query(`drop database ${name} with (force)`)
      await admin.query(`drop tablespace disk_of_${name}`)
      await admin.end()
    },
  }
}

describe.skipIf(reason !== null)(`PostgreSQL on a disk of its own (${reason ?? 'ext4'})`, () => {
  test('that is full rejects creations with the reason; running tasks wait, and nothing is lost', async () => {
    await using disk = await createTestDisk(2 ** 26)
    await using database = await databaseOnDisk(disk.folder)
    await using service = await startTestService({ database: { url: database.url } })
    const calls = api(await service.account(10_000))
    const { data: file } = await calls.upload('a.txt', 'bytes')
    const filler = join(disk.folder, 'filler')
    await fillDisk(filler)
    const ids: string[] = []
    // Until the server has used the free space inside its files.
    const full = await pollUntil(
      () => calls.create('test_copy', { file_id: file.file_id }),
      ({ code, data }) => {
        if (code === 200) ids.push(data.task_id)
        return code !== 200
      },
    )
    expect(full).toMatchObject({
      status: 500,
      code: 6401,
      msg: 'no space is left for the database',
      retryable: true,
    })
    expect((await calls.send('/task/list')).code).toBe(200)
    expect(Buffer.from(await calls.download(file.file_id)).toString()).toBe('bytes')

    await rm(filler)
    const { data: last } = await calls.create('test_copy', { file_id: file.file_id })
    ids.push(last.task_id)
    for (const id of ids) {
      const ended = () => calls.query('test_copy', id)
      const { data } = await pollUntil(ended, ({ data: { status } }) => isTerminal(status), { backOff: true })
      expect(data.status).toBe('completed')
    }
    expect(await calls.balance()).toBe(10_000 - ids.length)
    const { db, files } = service.running.service
    await checkInvariants(db, files)
  })
})
