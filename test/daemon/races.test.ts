import { expect, test } from 'vitest'
import { soakSize } from '../soak-size.ts'
import {
  findFromProcess,
  findTestDaemon,
  isAlive,
  newDataFolder,
  startedChildren,
  startedDaemons,
} from './daemon-fixtures.ts'

/** Moments at which a daemon is killed. Each returns the pid of the next one. */
const moments = {
  async announced(dataDir: string) {
    // The client may find it before it exits, or report its exit.
    await Promise.allSettled([findTestDaemon(dataDir, { failpoint: 'daemon-announced', withChild: true })])
    const [killed = 0] = await startedDaemons(dataDir)
    // It responds until its record is written durably; only the daemon after it ends its child.
    await expect.poll(() => isAlive(killed)).toBe(false)
    const [child = 0] = await startedChildren(dataDir)
    const { pid } = await findTestDaemon(dataDir)
    expect(pid).not.toBe(killed)
    await expect.poll(() => isAlive(child)).toBe(false)
    return pid
  },
  async stopping(dataDir: string) {
    const { pid } = await findTestDaemon(dataDir, { failpoint: 'daemon-retracted' })
    process.kill(pid, 'SIGTERM')
    await expect.poll(() => isAlive(pid)).toBe(false)
    const next = await findTestDaemon(dataDir)
    expect(next.pid).not.toBe(pid)
    return next.pid
  },
  async recorded(dataDir: string) {
    await expect(findTestDaemon(dataDir, { failpoint: 'daemon-recorded' })).rejects.toMatchObject({
      code: 6401,
      message: expect.stringContaining('killed'),
    })
    const { pid } = await findTestDaemon(dataDir)
    expect(await startedDaemons(dataDir)).toEqual([pid])
    return pid
  },
}

test.for(Object.entries(moments))(
  'after a daemon was killed when %s, the next one works',
  async ([, kill]) => {
    const dataDir = await newDataFolder()
    const pid = await kill(dataDir)
    expect((await startedDaemons(dataDir)).at(-1)).toBe(pid)
  },
)

test('concurrent newer clients replace an older daemon by one', async () => {
  const dataDir = await newDataFolder()
  const older = await findTestDaemon(dataDir, { version: '0.9.0' })
  const daemons = await Promise.all(Array.from({ length: soakSize(2, 4) }, () => findFromProcess(dataDir)))
  expect(new Set(daemons.map(({ pid }) => pid)).size).toBe(1)
  expect(daemons[0]?.pid).not.toBe(older.pid)
  expect(await startedDaemons(dataDir)).toHaveLength(2)
})
