import { afterAll, beforeAll, expect, it } from 'vitest'
import type { MediaError } from '../../../src/contract/errors.ts'
import { openClient } from '../../../src/engines/services/client.ts'
import { fails, startFakeService, type FakeService } from './fake-service.ts'

const { signal } = new AbortController()

let server: FakeService
beforeAll(async () => void (server = await startFakeService()))
afterAll(() => server[Symbol.asyncDispose]())

it.each(['base64', 'base64url', 'hex', 'latin1'] as const)(
  'shows callers the status only, and logs the rest without its key in %s',
  async (encoding) => {
    const key = 'sk-secret-0123456789-abc'
    const service = { address: `${server.origin}/v1`, key }
    const pause = async () => undefined
    const limits = { firstByteMs: 60_000, wholeMs: 60_000, maxBytes: 1000, pause }
    await using client = openClient({ kind: 'language_model', service }, limits)
    const quoted = Buffer.from(`Bearer ${key}`).toString(encoding)
    for (const status of [400, 401, 404, 422, 429, 500, 503]) {
      server.otherwise = fails(status, { error: { message: `wrong: ${quoted}` } }, { 'retry-after': '3600' })
      const error = (await client
        .send({ path: '/models', signal })
        .catch((thrown: unknown) => thrown)) as MediaError
      expect(error.message).toMatch(new RegExp(`\\(HTTP ${status}\\)$`))
      expect(`${error.message} ${error.hint}`).not.toContain('wrong')
      expect((error.cause as Error).message).toMatch(/^HTTP \d+: wrong: .*\[redacted\]/)
      expect((error.cause as Error).message).not.toContain(quoted.slice(12))
    }
  },
)
