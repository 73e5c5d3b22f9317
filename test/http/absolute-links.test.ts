import { expect, test } from 'vitest'
import type { TaskRecord } from '../../src/contract/task.ts'
import { downloadUrl } from '../../src/contract/routes.ts'
import { withAbsoluteLinks } from '../../src/http/task-routes.ts'
import { api, pollUntil } from '../service/api.ts'
import { startTestService } from '../service/in-process.ts'
import { fakeModule, messageEnvelopeModule } from '../service/fake-operation.ts'

const full = {
  ...messageEnvelopeModule,
  operation: { ...messageEnvelopeModule.operation, fullLinks: true as const },
}

test('operations with full links return absolute URLs under the called origin; others return paths', async () => {
  await using service = await startTestService({ operations: [fakeModule, full] })
  const account = await service.account(9)
  const calls = api(account)
  const { data: file } = await calls.upload('a.txt', 'some bytes')
  for (const [type, address] of [
    ['test_message', (baseUrl: string, id: string) => baseUrl + downloadUrl(id)],
    ['test_copy', (_: string, id: string) => downloadUrl(id)],
  ] as const) {
    const { data: created } = await calls.create(type, { file_id: file.file_id })
    for (const baseUrl of [service.baseUrl, service.baseUrl.replace('127.0.0.1', 'localhost')]) {
      const { query } = api({ ...account, baseUrl })
      const { data } = await pollUntil(
        () => query(type, created.task_id),
        (response) => response.data.status === 'completed',
      )
      const { file_id: id, download_url: link } = data.output_result as Record<string, string>
      expect(link).toBe(address(baseUrl, id ?? ''))
      if (type === 'test_message') {
        const bytes = await fetch(link ?? '', { headers: { authorization: account.apiKey } })
        expect(await bytes.text()).toBe('some bytes')
      }
    }
  }
})

test('only URLs at the top level of the result become absolute', () => {
  const task: TaskRecord = {
    ...{ task_id: '1', id: '1', task_type: 'test_message', status: 'completed', progress: 100 },
    ...{ create_time: '2026-01-01T00:00:00Z', update_time: '2026-01-01T00:00:00Z' },
    output_result: { download_url: '/a', midi_download_url: '/b', name: '/c', file_id: '1' },
  }
  const operations = new Map([[full.operation.name, full]])
  expect(withAbsoluteLinks({ operations }, 'https://media.example.com', task).output_result).toEqual({
    ...task.output_result,
    download_url: 'https://media.example.com/a',
    midi_download_url: 'https://media.example.com/b',
  })
  const failed = { ...task, output_result: null }
  expect(withAbsoluteLinks({ operations }, 'https://media.example.com', failed)).toBe(failed)
})
