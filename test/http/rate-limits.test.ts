import { expect, test } from 'vitest'
import { insertKey } from '../../src/accounts/keys.ts'
import { newKey } from '../../src/platform/hosting.ts'
import { api } from '../service/api.ts'
import { startTestService } from '../service/in-process.ts'

test('too many requests return Retry-After before any other check', async () => {
  await using service = await startTestService({ rateLimits: { test_copy: 3 } })
  const account = await service.account(10)
  const creations = api(account)
  const { data: file } = await creations.upload('a.txt', 'some bytes')
  const codes = []
  for (const body of [{}, { file_id: 7 }, { file_id: file.file_id }, {}]) {
    codes.push((await creations.create('test_copy', body)).code)
  }
  expect(codes).toEqual([6013, 6016, 200, 6032])

  const rejection = await fetch(`${service.baseUrl}/task/test_copy`, {
    method: 'POST',
    headers: { authorization: account.apiKey, 'content-type': 'application/json' },
    body: '{}',
  })
  expect(rejection.status).toBe(429)
  expect(Number(rejection.headers.get('retry-after'))).toBeGreaterThanOrEqual(15)
  expect(Number(rejection.headers.get('retry-after'))).toBeLessThanOrEqual(20)
  expect(await rejection.json()).toMatchObject({ code: 6032, data: null, retryable: true })

  const apiKey = newKey()
  await insertKey(service.running.service.db, {
    accountId: account.id,
    name: 'other',
    raw: apiKey,
    now: Date.now(),
  })
  const other = api({ baseUrl: service.baseUrl, apiKey })
  expect((await other.create('test_copy', {})).code).toBe(6013)
})
