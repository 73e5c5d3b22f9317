import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lockDataFolder, lockDaemonStart } from './lock.ts'

const lockModule = JSON.stringify(import.meta.resolve('./lock.ts'))

test('a folder can be locked once, and again after the lock is disposed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'lock-'))
  const first = lockDaemonStart(folder.path)
  expect(first).not.toBeNull()
  expect(lockDaemonStart(folder.path)).toBeNull()
  first?.[Symbol.dispose]()
  using again = lockDaemonStart(folder.path)
  expect(again).not.toBeNull()
})

test('the lock of a killed process is released', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'lock-'))
  const script = `
    import { lockDataFolder } from ${lockModule}
    globalThis.lock = lockDataFolder(${JSON.stringify(folder.path)})
    console.log(globalThis.lock !== null)
    setInterval(() => {}, 1e6)
  `
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  expect(String(await once(holder.stdout, 'data'))).toBe('true\n')
  expect(lockDataFolder(folder.path)).toBeNull()
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  using freed = lockDataFolder(folder.path)
  expect(freed).not.toBeNull()
})

test('a missing folder is an error, not a lock held by another process', () => {
  expect(() => lockDaemonStart(join(tmpdir(), 'not', 'there'))).toThrow(/unable to open/)
})
