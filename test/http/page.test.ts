import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { revokeKeys } from '../../src/accounts/keys.ts'
import { api, pollUntil, type Api } from '../service/api.ts'
import { onDatabases, onOneDatabase } from './on-databases.ts'
import { sendRequest, envelope, openConnection } from './raw-http.ts'

const json = { 'content-type': 'application/json' }

onOneDatabase((service) => {
  describe('the page', () => {
    const get = (path: string, headers: Record<string, string> = {}) =>
      sendRequest(service().baseUrl + path, { headers })

    test('is served without a key and allows only its own files', async () => {
      const { status, headers, bytes } = await get('/')
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      })
      const policy = String(headers['content-security-policy']).split('; ')
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "connect-src 'self'",
          "frame-ancestors 'none'",
          "base-uri 'none'",
          "require-trusted-types-for 'script'",
        ]),
      )
      expect(String(headers['content-security-policy'])).not.toMatch(/unsafe|\*|data:|blob:|http/)
      const parts = [...bytes.toString().matchAll(/(?:src|href)="([^#"]+)"/g)].map(([, path]) => path)
      expect(parts).toEqual(expect.arrayContaining(['page/main.js', 'page/style.css', 'page/icon.svg']))
      for (const path of parts) expect([path, (await get(`/${path}`)).status]).toEqual([path, 200])
    })

    test('its files have content types and are sent again only when changed', async () => {
      for (const [name, type] of [
        ['main.js', 'text/javascript; charset=utf-8'],
        ['style.css', 'text/css; charset=utf-8'],
        ['icon.svg', 'image/svg+xml'],
      ] as const) {
        const { headers } = await get(`/page/${name}`)
        expect(headers).toMatchObject({ 'content-type': type, 'cache-control': 'private, no-cache' })
        expect(headers['content-security-policy']).toContain("default-src 'none'")
        const again = await get(`/page/${name}`, { 'if-none-match': String(headers['etag']) })
        expect([again.status, again.bytes.length]).toEqual([304, 0])
      }
    })

    test.for([
      'tsconfig.json',
      '..%2findex.html',
      '..%2f..%2fpackage.json',
      '%2fetc%2fpasswd',
      'main.js%00',
      '',
      'constructor',
    ])('no other file is read: /page/%s', async (name) => {
      expect(envelope(await get(`/page/${name}`))).toMatchObject({ status: 404, code: 6005, data: null })
    })

    test('browsers do not cache account data', async () => {
      const { headers } = await get('/task/list', { authorization: service().apiKey })
      expect(headers['cache-control']).toBe('no-store')
      const { data } = await api(service()).upload('a.txt', 'some bytes')
      const file = await get(data.download_url, { authorization: service().apiKey })
      expect(file.headers['cache-control']).toBe('no-store')
    })
  })

  describe('page tickets', () => {
    const requestTicket = async (apiKey: string) =>
      (await api({ ...service(), apiKey }).send<{ ticket: string }>('/page/ticket', { method: 'POST' })).data
        .ticket
    const login = async (body: unknown, headers: Record<string, string> = {}) =>
      envelope<{ api_key: string }>(
        await sendRequest(`${service().baseUrl}/page/login`, {
          ...{ method: 'POST', headers: { ...json, ...headers } },
          body: JSON.stringify(body),
        }),
      )
    const rejection = { status: 401, code: 6502, data: null }

    test('a ticket returns the key it was issued for, once', async () => {
      const { apiKey } = await service().account(0)
      const ticket = await requestTicket(apiKey)
      expect(await login({ ticket })).toMatchObject({ status: 200, data: { api_key: apiKey } })
      expect(await login({ ticket })).toMatchObject(rejection)
    })

    test('a ticket needs a key and is not a key itself', async () => {
      const { status } = await sendRequest(`${service().baseUrl}/page/ticket`, { method: 'POST' })
      expect(status).toBe(401)
      const ticket = await requestTicket(service().apiKey)
      for (const headers of [{ authorization: ticket }, {} as Record<string, string>]) {
        const response = await sendRequest(`${service().baseUrl}/task/list?ticket=${ticket}`, { headers })
        expect(response.status).toBe(401)
      }
      // An event ticket does not sign in either.
      const { data } = await api(service()).send<{ ticket: string }>('/task/events/ticket', {
        method: 'POST',
      })
      expect(await login({ ticket: data.ticket })).toMatchObject(rejection)
    })

    test('the ticket of a key that expired meanwhile is rejected', async () => {
      const { id, apiKey } = await service().account(0)
      const ticket = await requestTicket(apiKey)
      const { db } = service().running.service
      await revokeKeys(db, { accountId: id, name: 'test', now: Date.now() })
      expect(await login({ ticket })).toMatchObject(rejection)
    })

    test.for([
      [{}, 6013],
      [{ ticket: null }, 6013],
      [{ ticket: '' }, 6016],
      [{ ticket: 7 }, 6016],
      [{ ticket: 'x'.repeat(201) }, 6016],
      [[], 6016],
      [{ ticket: '__proto__' }, 6502],
    ] as const)('%j returns %i', async ([body, code]) => {
      expect(await login(body)).toMatchObject({ code, data: null })
    })

    test('long bodies without a key are not read', async () => {
      const { bytes, ...response } = await sendRequest(`${service().baseUrl}/page/login`, {
        ...{ method: 'POST', headers: json },
        body: JSON.stringify({ ticket: 'x', more: 'x'.repeat(2 ** 12) }),
      })
      expect(envelope({ bytes, ...response })).toMatchObject({
        ...{ status: 400, code: 6016 },
        msg: 'the body is larger than 1 KiB',
      })
    })

    test('another page cannot use a ticket', async () => {
      const ticket = await requestTicket(service().apiKey)
      expect(await login({ ticket }, { origin: 'http://evil.example' })).toMatchObject(rejection)
      expect(await login({ ticket })).toMatchObject({ status: 200 })
    })

    test('the log contains neither ticket nor key', async () => {
      const { apiKey } = await service().account(0)
      const ticket = await requestTicket(apiKey)
      await login({ ticket })
      const log = await readFile(join(service().dataDir, 'log'), 'utf8')
      expect(log).toContain('/page/login')
      expect(log).not.toContain(ticket)
      expect(log).not.toContain(apiKey)
    })
  })

  describe('the event socket for the page', () => {
    const openEventSocket = async (origin: string) => {
      const { data } = await api(service()).send<{ ticket: string }>('/task/events/ticket', {
        method: 'POST',
      })
      const { host } = new URL(service().baseUrl)
      using line = await openConnection(service().baseUrl)
      line.socket.write(
        `GET /task/events?ticket=${data.ticket} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\n` +
          'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
          'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
      )
      return Number(/^HTTP\/1\.1 (\d+)/.exec(await line.waitForText(/\r\n\r\n/))?.[1])
    }

    test('opens for it and rejects other pages', async () => {
      expect(await openEventSocket(service().baseUrl)).toBe(101)
      for (const origin of [
        'null',
        'http://evil.example',
        service().baseUrl.replace('127.0.0.1', 'localhost'),
      ]) {
        expect([origin, await openEventSocket(origin)]).toEqual([origin, 401])
      }
    })
  })
})

onDatabases('lists for the page', (service) => {
  test("files are the account's unexpired files, newest first", async () => {
    const account = await service().account(0)
    const calls = api(account)
    const names = ['a.txt', 'b.txt', 'c.txt']
    for (const name of names) await calls.upload(name, `bytes of ${name}`)
    await api(await service().account(0)).upload('foreign.txt', 'other bytes')
    interface Files {
      list: { original_name: string; file_id: string }[]
      total: number
    }
    const list = async (query = '') => (await calls.send<Files>(`/base/file/list${query}`)).data
    const namesOf = ({ list: files }: Files) => files.map(({ original_name }) => original_name)
    expect(namesOf(await list())).toEqual(names.toReversed())
    expect(await list('?page=2&page_size=2')).toMatchObject({
      ...{ total: 3, page: 2, page_size: 2 },
      list: [{ original_name: 'a.txt' }],
    })
    const [newest] = (await list()).list
    const { db } = service().running.service
    await db
      .updateTable('files')
      .set({ expire_at: 1 })
      .where('id', '=', newest?.file_id ?? '')
      .execute()
    expect(namesOf(await list())).toEqual(['b.txt', 'a.txt'])
  })

  test('files can be filtered by task', async () => {
    const account = await service().account(9)
    const calls = api(account)
    const { data: file } = await calls.upload('given.txt', 'some bytes')
    await calls.upload('other.txt', 'other bytes')
    const id = (await calls.create('test_copy', { file_id: file.file_id })).data.task_id
    await pollUntil(
      () => calls.query('test_copy', id),
      ({ data }) => data.status === 'completed',
    )
    const list = async (calling: Api, task: string) => {
      const { data } = await calling.send<{ list: { original_name: string }[] }>(
        `/base/file/list?task_id=${task}`,
      )
      // A worker numbers results by its own clock, and this service by that of earlier tests, so that the order varies.
      return data.list.map(({ original_name }) => original_name).toSorted()
    }
    expect(await list(calls, id)).toEqual(['copy of given.txt', 'given.txt'])
    for (const unknown of ['1234567890123456789', 'x', '%00']) expect(await list(calls, unknown)).toEqual([])
    expect(await list(api(await service().account(0)), id)).toEqual([])
  })

  test('the ledger lists credits, also of one task', async () => {
    const account = await service().account(9)
    const calls = api(account)
    const { data: file } = await calls.upload('a.txt', 'some bytes')
    const [one, other] = [
      await calls.create('test_copy', { file_id: file.file_id, behaviour: 'wait' }),
      await calls.create('test_copy', { file_id: file.file_id, behaviour: 'wait' }),
    ].map(({ data }) => data.task_id)
    await calls.stop(one ?? '')
    const list = async (query = '') =>
      (await calls.send<{ list: unknown[]; total: number }>(`/base/ledger${query}`)).data
    expect((await list()).list).toMatchObject([
      { kind: 'refund', amount: 1, task_id: one },
      { kind: 'hold', amount: -1, task_id: other },
      { kind: 'hold', amount: -1, task_id: one },
      { kind: 'grant', amount: 9, task_id: null },
    ])
    expect((await list(`?task_id=${other}`)).list).toMatchObject([{ kind: 'hold', task_id: other }])
    expect(await list('?page=2&page_size=3')).toMatchObject({ total: 4, list: [{ kind: 'grant' }] })
    for (const id of ['1234567890123456789', 'x', '%00']) {
      expect(await list(`?task_id=${id}`)).toMatchObject({ list: [], total: 0 })
    }
    const otherAccount = api(await service().account(0))
    expect((await otherAccount.send<{ list: unknown[] }>(`/base/ledger?task_id=${one}`)).data.list).toEqual(
      [],
    )
  })
})
