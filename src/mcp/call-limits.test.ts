import { expect, onTestFinished, test, vi } from 'vitest'
import { withProtocolErrors } from './call-limits.ts'

test('a request that hangs gets a response before clients time out', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const report = (error: unknown) => expect.unreachable(String(error))
  const late = withProtocolErrors(new Promise(() => undefined), report)
  await Promise.all([
    expect(late).rejects.toThrow(/^6402: .*Retryable: yes/),
    vi.advanceTimersByTimeAsync(45_000),
  ])
  expect(await withProtocolErrors(Promise.resolve('answer'), report)).toBe('answer')
})
