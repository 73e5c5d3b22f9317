import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tool } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { api } from '../service/api.ts'
import { startHttpServerFixture, type HttpServerFixture } from './http-server-fixture.ts'
import { waitUntil } from './temporary-folder.ts'
import { eras, type Era } from './stdio-client.ts'

let fixture: HttpServerFixture
beforeAll(async () => {
  fixture = await startHttpServerFixture()
})
afterAll(() => fixture[Symbol.asyncDispose]())

test.each([
  ['2025-03-26', true],
  ['2025-06-18', false],
])(
  'a client of protocol version %s finds titles of tools in the annotations: %s',
  async (version, isThere) => {
    const { apiKey } = await fixture.service.account(0)
    const headers = {
      authorization: apiKey,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    const request = (method: string, params: object, more: Record<string, string> = {}) =>
      fetch(fixture.url, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
    const clientInfo = { name: 'test', version: '1' }
    const begun = await request('initialize', { protocolVersion: version, capabilities: {}, clientInfo })
    await begun.text()
    const session = begun.headers.get('mcp-session-id') ?? ''
    const answer = await request('tools/list', {}, { 'mcp-session-id': session })
    const [json = ''] = /\{.*\}/.exec(await answer.text()) ?? []
    const { result } = JSON.parse(json) as { result: { tools: Tool[] } }
    for (const { title, annotations } of result.tools) {
      expect(title).toEqual(expect.any(String))
      expect(annotations?.title).toBe(isThere ? title : undefined)
    }
  },
)

describe.each(eras)('%s client over HTTP', (era) => {
  test('a file is uploaded to the service, and the result is a link that requires no key', async () => {
    const account = await fixture.service.account(10)
    await using agent = await fixture.connect(era, account)
    const { data: how } = await agent.call('upload_file')
    const form = new FormData()
    form.append('file', new Blob(['some words']), 'a.txt')
    const uploaded = await fetch(String(how['upload_url']), {
      method: String(how['method']),
      headers: { authorization: account.apiKey },
      body: form,
    })
    const { data: file } = (await uploaded.json()) as { data: { file_id: string } }

    const { data, text } = await agent.call('test_copy', { file_id: file.file_id })
    expect(text).toMatch(
      /^test_copy, completed, task_id \d+\nFile: copy of a\.txt: http.* \(result, 10 bytes, file_id \d+\)/,
    )
    expect(text).toContain(`Next: ${String(data['next_step'])}`)
    expect(data['output']).not.toHaveProperty('download_url')
    expect(data).toMatchObject({ status: 'completed', next_step: expect.stringContaining('links') })
    const [result] = data['files'] as Record<string, unknown>[]
    expect(result).toMatchObject({ role: 'result', name: 'copy of a.txt', bytes: 10 })
    expect(result).not.toHaveProperty('path')
    expect(await (await fetch(String(result?.['url']))).text()).toBe('some words')

    const again = await agent.call('download_file', { file_id: result?.['file_id'] })
    expect(await (await fetch(String(again.data['url']))).text()).toBe('some words')
    expect((await agent.call('get_task', { task_id: data['task_id'] })).data['status']).toBe('completed')
    expect((await agent.call('inspect_file', { file: file.file_id })).data['name']).toBe('a.txt')
  })

  test('a completed task is reported after its file was deleted, without mention of a workspace', async () => {
    const account = await fixture.service.account(10)
    await using agent = await fixture.connect(era, account)
    const { data: file } = await api(account).upload('a.txt', 'words')
    const { data } = await agent.call('test_copy', { file_id: file.file_id })
    const [result] = data['files'] as { file_id: string }[]
    await api(account).send(`/base/file/${result?.file_id}`, { method: 'DELETE' })
    const again = await agent.call('get_task', { task_id: data['task_id'] })
    expect(again.data).toMatchObject({
      status: 'completed',
      output: { file_id: result?.file_id },
      next_step: expect.stringMatching(/^Done.*links to the files could not be created.*6004/),
    })
    const { contents } = await agent.client.readResource({ uri: `media://tasks/${String(data['task_id'])}` })
    expect(JSON.stringify(contents)).toMatch(/"next_step.*Done/)
    expect(JSON.stringify(contents)).not.toMatch(/workspace|saved/)
  })

  test('no tool mentions or accepts paths', async () => {
    const account = await fixture.service.account(10)
    await using agent = await fixture.connect(era, account)
    const { tools } = await agent.client.listTools()
    expect(tools.map(({ name }) => name)).toContain('download_file')
    for (const { name, inputSchema, description } of tools) {
      expect([name, JSON.stringify({ inputSchema, description })]).not.toEqual([
        name,
        expect.stringMatching(/\bpath|save_to|workspace|folder/i),
      ])
    }
    for (const file_id of ['a.txt', '/etc/passwd', 'file:///etc/passwd', 'https://example.com/a.txt']) {
      const { isError, text } = await agent.call('test_copy', { file_id })
      expect([isError, text]).toEqual([true, expect.stringMatching(/^6016: .*Fix: .*pload/)])
    }
    const saved = await agent.call('get_task', { task_id: '1', save_to: '/tmp' })
    expect(saved.text).toMatch(/^6016: Unknown argument save_to/)
    const { data } = await agent.call('service_status')
    expect(data).toMatchObject({ reachable: true, service_address: fixture.service.baseUrl })
    expect(data).not.toHaveProperty('workspace')
  })

  test('subscribers receive updates of their own tasks only', async () => {
    await using own = await follower(era)
    await using other = await follower(era)
    await other.subscribe([own.uri, other.uri])
    await own.subscribe([own.uri])
    // From here on, both are subscribed. Earlier events may have notified of any task.
    await waitUntil(
      () => other.updateCount(other.uri) > 0 && own.updateCount(own.uri) > 0,
      'both clients are subscribed',
    )
    const before = { own: other.updateCount(other.uri), other: other.updateCount(own.uri) }
    await own.agent.call('cancel_task', { task_id: own.taskId, force: true })
    await other.agent.call('cancel_task', { task_id: other.taskId, force: true })
    await waitUntil(() => other.updateCount(other.uri) > before.own, 'the final update')
    expect(other.updateCount(own.uri)).toBe(before.other)

    const { contents } = await own.agent.client.readResource({ uri: own.uri })
    expect(JSON.stringify(contents)).toContain('cancelled')
    await expect(other.agent.client.readResource({ uri: own.uri })).rejects.toThrow('not found')
    expect((await other.agent.call('get_task', { task_id: own.taskId })).text).toMatch(/^6005/)
    const { resources } = await other.agent.client.listResources()
    const listed = resources.map(({ uri }) => uri).filter((uri) => /tasks|files/.test(uri))
    expect(listed).toEqual([other.uri])
  })
})

/** Connects an agent with its own account and a task that runs until it is cancelled. */
async function follower(era: Era) {
  const account = await fixture.service.account(10)
  const agent = await fixture.connect(era, account)
  const { data: file } = await api(account).upload('a.txt', 'words')
  const { data } = await agent.call('test_copy', {
    file_id: file.file_id,
    behaviour: 'wait',
    wait_seconds: 0,
  })
  const taskId = String(data['task_id'])
  const updates: string[] = []
  agent.client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void updates.push(params.uri),
  )
  return {
    agent,
    taskId,
    uri: `media://tasks/${taskId}`,
    updateCount: (uri: string) => updates.filter((each) => each === uri).length,
    async subscribe(uris: string[]) {
      if (era === 'modern') await agent.client.listen({ resourceSubscriptions: uris })
      else for (const uri of uris) await agent.client.subscribeResource({ uri })
    },
    [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose](),
  }
}

test('a session accepts only the key that opened it', async () => {
  const [own, other] = [await fixture.service.account(0), await fixture.service.account(0)]
  await using agent = await fixture.connect('legacy', own)
  const requestWithKey = (key: string) =>
    fetch(fixture.url, {
      method: 'POST',
      headers: {
        authorization: key,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': agent.transport.sessionId ?? '',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' }),
    })
  expect((await requestWithKey(own.apiKey)).status).toBe(200)
  const rejection = await requestWithKey(other.apiKey)
  expect([rejection.status, await rejection.json()]).toEqual([
    404,
    { jsonrpc: '2.0', id: null, error: { code: -32_001, message: expect.stringContaining('initialize') } },
  ])
})

test('a session that is idle for half an hour expires, one with an open stream does not', async () => {
  await using own = await startHttpServerFixture()
  const account = await own.service.account(0)
  await using listening = await own.connect('legacy', account)
  const opened = await initialize(own.url, account.apiKey)
  const idle = opened.headers.get('mcp-session-id') ?? ''
  expect((await inSession(own.url, account.apiKey, idle)).status).toBe(200)
  own.advanceClock(31 * 60_000)
  await own.sweep()
  expect((await inSession(own.url, account.apiKey, idle)).status).toBe(404)
  await listening.client.ping()
})

test('above the session limit of a key, the session that is idle longest ends', async () => {
  const account = await fixture.service.account(0)
  const ids: string[] = []
  for (let count = 0; count < 65; count += 1) {
    ids.push((await initialize(fixture.url, account.apiKey)).headers.get('mcp-session-id') ?? '')
  }
  const states = [ids[0], ids[1], ids[64]].map(
    async (id = '') => (await inSession(fixture.url, account.apiKey, id)).status,
  )
  expect(await Promise.all(states)).toEqual([404, 200, 200])
})

test('closing ends streams and sessions, and the log contains no key', async () => {
  await using own = await startHttpServerFixture()
  const account = await own.service.account(0)
  await using legacy = await own.connect('legacy', account)
  await using modern = await own.connect('modern', account)
  await modern.client.listen({ resourceSubscriptions: ['media://tasks/1'] })
  await legacy.call('service_status')
  await own.close()
  await expect(fetch(own.url)).rejects.toThrow('fetch failed')
  const log = await readFile(join(own.service.dataDir, 'mcp-log'), 'utf8')
  expect(log).toContain('"rpc":"tools/call"')
  expect(log).toContain('"era":"modern"')
  expect(log).not.toContain(account.apiKey)
})

function initialize(url: string, key: string): Promise<Response> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
  return fetch(url, {
    method: 'POST',
    headers: {
      authorization: key,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  })
}

function inSession(url: string, key: string, id: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      authorization: key,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': id,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' }),
  })
}
