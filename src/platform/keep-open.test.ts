import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { OpenResources } from './keep-open.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function resources() {
  const log: string[] = []
  const open = (name: string) => async () => {
    log.push(`open ${name}`)
    return { name, [Symbol.asyncDispose]: async () => void log.push(`close ${name}`) }
  }
  return { log, open, all: new OpenResources<{ name: string } & AsyncDisposable>(1000) }
}

test('users share a resource, which is closed some time after the last one', async () => {
  const { log, open, all } = resources()
  const [one, other] = await Promise.all([all.use('a', open('a')), all.use('a', open('a'))])
  expect(one.value).toBe(other.value)
  await one[Symbol.asyncDispose]()
  await vi.advanceTimersByTimeAsync(5000)
  expect(log).toEqual(['open a'])
  await other[Symbol.asyncDispose]()
  await vi.advanceTimersByTimeAsync(999)
  expect(log).toEqual(['open a'])
  await vi.advanceTimersByTimeAsync(1)
  expect(log).toEqual(['open a', 'close a'])
})

test('a new use within that time keeps it open, and later ones open it again', async () => {
  const { log, open, all } = resources()
  const use = async () => {
    await using _ = await all.use('a', open('a'))
  }
  await use()
  await vi.advanceTimersByTimeAsync(900)
  await use()
  await vi.advanceTimersByTimeAsync(900)
  expect(log).toEqual(['open a'])
  await vi.advanceTimersByTimeAsync(100)
  await use()
  expect(log).toEqual(['open a', 'close a', 'open a'])
})

test('names are apart, and a failure to open is not kept', async () => {
  const { log, open, all } = resources()
  await expect(all.use('a', () => Promise.reject(new Error('locked')))).rejects.toThrow('locked')
  await using a = await all.use('a', open('a'))
  await using b = await all.use('b', open('b'))
  expect([a.value.name, b.value.name]).toEqual(['a', 'b'])
  expect(log).toEqual(['open a', 'open b'])
})
