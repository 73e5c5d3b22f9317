import { expect, onTestFinished, test, vi } from 'vitest'
import { told } from './protocol-error.ts'

test('whatever a request hangs on, it is answered before clients give up', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const report = (error: unknown) => expect.unreachable(String(error))
  const late = expect(told(new Promise(() => undefined), report)).rejects.toThrow(/^6402: .*Retryable: yes/)
  await vi.advanceTimersByTimeAsync(45_000)
  await late
  expect(await told(Promise.resolve('answer'), report)).toBe('answer')
})
