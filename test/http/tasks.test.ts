import { expect, test } from 'vitest'
import { accountBalance } from '../../src/accounts/ledger.ts'
import { api, pollUntil } from '../service/api.ts'
import { onDatabases } from './on-databases.ts'
import { sendRequest, envelope } from './raw-http.ts'

const json = { 'content-type': 'application/json' }

onDatabases('tasks over HTTP', (service) => {
  test.for([
    ['null', 6016, /JSON object/],
    ['[]', 6016, /JSON object/],
    ['{"file_id":null}', 6013, /file_id/],
    ['{"file_id":1e999}', 6016, /file_id/],
    ['{"file_id":12345678901234567890}', 6016, /lost digits/],
    ['{"file_id":"a","file_id":7}', 6016, /file_id/],
    ['{"file_id":"\\u0000"}', 6004, /does not exist/],
    ['{"file_id":"\\ud800"}', 6004, /does not exist/],
    ['{"file_id":"1\' or 1=1 --"}', 6004, /does not exist/],
    ['{"constructor":{"prototype":{"x":1}}}', 6016, /not valid JSON/],
    ['{"file_id":"x","behaviour":"__proto__"}', 6016, /behaviour/],
  ] as const)('a creation with %s returns %i, and nothing is charged', async ([body, code, message]) => {
    const account = await service().account(3)
    const headers = { ...json, authorization: account.apiKey }
    const url = `${service().baseUrl}/task/test_copy`
    const response = envelope(await sendRequest(url, { method: 'POST', headers, body }))
    expect(response).toMatchObject({ status: code === 6004 ? 404 : 400, code, data: null })
    expect(response.msg).toMatch(message)
    expect(await accountBalance(service().running.service.db, account.id)).toBe(3)
  })

  test('a creation with additional unknown fields is accepted', async () => {
    const calls = api(await service().account(3))
    const { data: file } = await calls.upload('a.txt', 'some bytes')
    const response = await calls.create('test_copy', {
      file_id: file.file_id,
      behaviour: null,
      colour: 'red',
    })
    expect(response).toMatchObject({ status: 200, data: { status: 'queued' } })
  })

  test('cancelling needs no body, even with a content type', async () => {
    const account = await service().account(9)
    const calls = api(account)
    const { data: file } = await calls.upload('a.txt', 'some bytes')
    const ids: string[] = []
    // Two of them run: the service has two workers.
    for (let turn = 0; turn < 4; turn++) {
      ids.push((await calls.create('test_copy', { file_id: file.file_id, behaviour: 'wait' })).data.task_id)
    }
    const cancel = async (id: string, headers = {}) =>
      envelope(
        await sendRequest(`${service().baseUrl}/task/${id}/cancel`, {
          method: 'POST',
          headers: { ...headers, authorization: account.apiKey },
        }),
      )
    await pollUntil(
      () => calls.query('test_copy', ids[1] ?? ''),
      ({ data }) => data.status === 'processing',
    )
    expect(await cancel(ids[2] ?? '', json)).toMatchObject({ status: 200, code: 200, data: '' })
    expect(await cancel(ids[3] ?? '')).toMatchObject({ status: 200, code: 200, data: '' })
    for (const id of ['1234567890123456789', 'x', '%00', '..%2f..']) {
      expect(await cancel(id)).toMatchObject({ status: 404, code: 6005, data: null })
    }
    expect(await cancel('404')).toMatchObject({ msg: 'there is no task "404"' })
  })

  test('malformed file and task ids are unknown', async () => {
    const calls = api(await service().account(0))
    for (const id of ['0', '1'.repeat(19), '%F0%9F%8E%AC', '%00', 'a'.repeat(5000), `1'--`]) {
      expect(await calls.send(`/base/file/${id}`)).toMatchObject({ status: 404, code: 6004, data: null })
      expect(await calls.send(`/task/test_copy/${id}`)).toMatchObject({ status: 404, code: 6005, data: null })
    }
  })
})
