import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { logged } from '../observe/log-lines.ts'
import { startSecondApp } from './second-app.ts'
import { onOneDatabase } from './on-databases.ts'
import { sendRequest, envelope } from './raw-http.ts'

onOneDatabase((service) => {
  const setUp = async (allowQueryAuthorization: boolean) => {
    const { apiKey } = await service().account(1)
    const { baseUrl } = await startSecondApp(service().running.service, { allowQueryAuthorization })
    const list = async (query: string, headers: Readonly<Record<string, string>> = {}) =>
      envelope(await sendRequest(`${baseUrl}/task/list${query}`, { headers })).code
    return { apiKey, baseUrl, list }
  }

  test('a key in the query is ignored unless allowed', async () => {
    const { apiKey, list, baseUrl } = await setUp(false)
    expect(await list(`?Authorization=${apiKey}`)).toBe(6502)
    expect(await list('', { authorization: apiKey })).toBe(200)
    const { bytes } = await sendRequest(`${baseUrl}/docs/openapi.json`, {
      headers: { authorization: apiKey },
    })
    expect(String(bytes)).not.toContain('key_in_query')
  })

  test('when allowed, the header takes precedence and the API document describes it', async () => {
    const { apiKey, list, baseUrl } = await setUp(true)
    expect(await list(`?Authorization=${apiKey}`)).toBe(200)
    expect(await list(`?page=1&Authorization=${apiKey}`)).toBe(200)
    expect(await list('?Authorization=wrong', { authorization: apiKey })).toBe(200)
    expect(await list(`?Authorization=${apiKey}`, { authorization: 'wrong' })).toBe(6502)
    for (const query of ['', '?Authorization=', '?Authorization=wrong', `?authorization=${apiKey}`]) {
      expect([query, await list(query)]).toEqual([query, 6502])
    }
    expect(await list(`?Authorization=${apiKey}&Authorization=${apiKey}`), 'given twice').toBe(6502)
    const { bytes } = await sendRequest(`${baseUrl}/docs/openapi.json`, {
      headers: { authorization: apiKey },
    })
    expect(JSON.parse(String(bytes))).toMatchObject({
      security: [{ key: [] }, { key_in_query: [] }],
      components: { securitySchemes: { key_in_query: { in: 'query', name: 'Authorization' } } },
    })
  })

  test('the log does not contain the key', async () => {
    const { apiKey, baseUrl } = await setUp(true)
    const headers = { 'x-request-id': 'quiet-one' }
    for (const path of ['/task/list?page=0&', '/nowhere?', '/task/%zz?']) {
      await sendRequest(`${baseUrl}${path}Authorization=${apiKey}`, { headers })
    }
    await logged(service(), { request_id: 'quiet-one', msg: 'request' }, 3)
    expect(await readFile(join(service().dataDir, 'log'), 'utf8')).not.toContain(apiKey)
  })
})
