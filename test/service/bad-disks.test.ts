import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { isTerminal } from '../../src/contract/task.ts'
import { openDatabase } from '../../src/db/open.ts'
import { openDiskStore } from '../../src/files/disk.ts'
import { freeSpace } from '../../src/platform/folder.ts'
import { api, pollUntil } from './api.ts'
import { createTestDisk, diskUnavailableReason, fillDisk } from './disk.ts'
import { checkInvariants } from './invariants.ts'
import { startServiceProcess } from './process.ts'

const reason = await diskUnavailableReason()
const run = promisify(execFile)
const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts')

/** A service in its own process, so that no file on the disk stays open. */
async function startOnDisk(dataDir: string) {
  await mkdir(dataDir)
  const service = await startServiceProcess(dataDir)
  return { ...service, [Symbol.asyncDispose]: () => service.kill('SIGKILL') }
}

describe.skipIf(reason !== null)(`a service on a disk (${reason ?? 'ext4'})`, () => {
  test('a full disk is reported; requests that need no space work, and nothing is lost', async () => {
    await using disk = await createTestDisk(2 ** 29)
    const [dataDir, filler] = [join(disk.folder, 'data'), join(disk.folder, 'filler')]
    await using service = await startOnDisk(dataDir)
    const calls = api(service)
    const { data: file } = await calls.upload('a.txt', 'there before')
    const create = () => calls.create('test_copy', { file_id: file.file_id })
    await fillDisk(filler)
    expect(await freeSpace(disk.folder)).toBeLessThan(4096)

    const rejection = await calls.upload('b.txt', 'too much')
    expect(rejection).toMatchObject({
      status: 413,
      code: 6002,
      msg: expect.stringMatching(/no space.* are free/),
    })
    const createdIds: string[] = []
    // Until SQLite has used its allocated space.
    const full = await pollUntil(create, ({ code, data }) => {
      if (code === 200) createdIds.push(data.task_id)
      return code !== 200
    })
    expect(full).toMatchObject({ code: 6401, msg: 'no space is left for the database', retryable: true })
    expect(Buffer.from(await calls.download(file.file_id)).toString()).toBe('there before')
    expect((await calls.send('/task/list')).code).toBe(200)

    await rm(filler)
    expect((await create()).code).toBe(200)
    for (const id of createdIds) {
      await pollUntil(
        () => calls.query('test_copy', id),
        ({ data }) => isTerminal(data.status),
      )
    }
    await service.kill('SIGTERM')
    const db = await openDatabase({ path: join(dataDir, 'reelwright.sqlite') })
    await checkInvariants(db, await openDiskStore(join(dataDir, 'files')))
    await db.destroy()
  })

  test('a failing disk is reported', async () => {
    await using disk = await createTestDisk(2 ** 29)
    const dataDir = join(disk.folder, 'data')
    await using service = await startOnDisk(dataDir)
    const calls = api(service)
    const { data: file } = await calls.upload('a.txt', 'there before')
    await disk.cutPower()
    for (const response of [
      await calls.upload('b.txt', 'lost'),
      await calls.create('test_copy', { file_id: file.file_id }),
    ]) {
      expect(response).toMatchObject({
        status: 500,
        code: 6401,
        msg: expect.stringMatching(/disk|only be read/),
      })
    }
  })

  test('a read-only disk is rejected at the start, by name', async () => {
    await using disk = await createTestDisk(2 ** 24)
    await run('mount', ['-o', 'remount,ro', disk.folder])
    const dataDir = join(disk.folder, 'data')
    const serve = run(process.execPath, [main, 'serve', '--port', '0', '--data-dir', dataDir])
    await expect(serve).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /data folder .*data cannot be used: .*read-only[^]*Fix: Choose an empty folder/,
      ),
    })
  })
})
