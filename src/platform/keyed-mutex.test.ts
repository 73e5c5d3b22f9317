import { expect, test } from 'vitest'
import { keyedMutex } from './keyed-mutex.ts'

test('work of one name goes one after another, also after a failure; of another name it does not wait', async () => {
  const run = keyedMutex()
  const log: string[] = []
  const gate = Promise.withResolvers<void>()
  const failing = run('a', async () => {
    log.push('a1')
    await gate.promise
    throw new Error('failed')
  })
  const next = run('a', async () => log.push('a2'))
  await run('b', async () => log.push('b1'))
  expect(log).toEqual(['a1', 'b1'])
  gate.resolve()
  await expect(failing).rejects.toThrow('failed')
  await next
  expect(log).toEqual(['a1', 'b1', 'a2'])
  expect(await run('a', async () => 'free again')).toBe('free again')
})
