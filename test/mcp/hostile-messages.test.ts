import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { revokeKey } from '../../src/accounts/keys.ts'
import { type HttpServerFixture, startHttpServerFixture } from './http-server-fixture.ts'
import { eras, startInProcessAgent } from './stdio-client.ts'

let fixture: HttpServerFixture
beforeAll(async () => {
  fixture = await startHttpServerFixture()
})
afterAll(() => fixture[Symbol.asyncDispose]())

function nested(levels: number): unknown {
  let value: unknown = []
  for (let level = 1; level < levels; level += 1) value = [value]
  return value
}

describe.each(eras)('a %s client', (era) => {
  test('gets the limit for arguments that are nested too deeply, in values and in JSON as text', async () => {
    await using agent = await startInProcessAgent(era)
    const { text, isError } = await agent.call('video_split_screen', { clips: nested(1000) })
    expect([isError, text]).toEqual([
      true,
      expect.stringMatching(/^6016: arguments is nested 1001 levels deep; at most 64/),
    ])
    const asText = '['.repeat(20_000) + ']'.repeat(20_000)
    const second = await agent.call('video_split_screen', { clips: asText })
    expect([second.isError, second.text]).toEqual([
      true,
      expect.stringMatching(/^6016: clips\[0\]: must be an object/),
    ])
  })

  test('has its session and streams ended soon after its key was revoked', async () => {
    const account = await fixture.service.account(10)
    const agent = await fixture.connect(era, account)
    onTestFinished(() => agent.client.close())
    await agent.call('service_status')
    await revokeKey(fixture.service.running.service.db, account.keyId, Date.now())
    fixture.advanceClock(61_000)
    await fixture.sweep()
    await expect(agent.call('service_status')).rejects.toThrow(/6502|401|Unauthorized|API key/)
  })
})

test('an open stream of a session ends when the key was revoked', async () => {
  const account = await fixture.service.account(10)
  const headers = {
    authorization: account.apiKey,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const begun = await fetch(fixture.url, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }),
  })
  await begun.text()
  const session = { ...headers, 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' }
  const stream = await fetch(fixture.url, { headers: session })
  expect(stream.status).toBe(200)
  await fixture.sweep()
  await revokeKey(fixture.service.running.service.db, account.keyId, Date.now())
  fixture.advanceClock(61_000)
  await fixture.sweep()
  await stream.text().catch(() => '')
})

test.each([
  [
    'deep',
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`,
  ],
  ['long', `[${'[],'.repeat(300_000)}1]`],
])('a message over HTTP that is %s is refused with the limit', async (_, body) => {
  const { apiKey } = await fixture.service.account(0)
  const response = await fetch(fixture.url, {
    method: 'POST',
    headers: { authorization: apiKey, 'content-type': 'application/json' },
    body,
  })
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringMatching(/-32700.*6016: the message .* at most/),
  ])
})
