import { mkdtempDisposable, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openLog, redact } from './log.ts'

test('lines carry their task and no keys at any depth', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'log-'))
  const file = join(folder.path, 'logs', 'daemon.log')
  const log = openLog({ file }).child({ task_id: '1234567890123456789' })
  log.info(
    { req: { headers: { authorization: 'sekret', host: 'h' }, deep: [{ apiKey: 'sekret' }] } },
    'asked',
  )
  log.error(new Error('GET /task/list?page=1&Authorization=sekret failed'))
  const text = await readFile(file, 'utf8')
  const [first] = text.split('\n').map((line) => JSON.parse(line || 'null') as unknown)
  expect(first).toMatchObject({
    task_id: '1234567890123456789',
    msg: 'asked',
    req: { headers: { host: 'h' } },
  })
  expect(text).not.toContain('sekret')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test.each([
  '{"api_key":"sekret"}',
  '{"Authorization": ["sekret"]}',
  '{"rawHeaders":["Authorization","sekret","Host","h"]}',
  String.raw`{"msg":"{\"authorization\":\"sekret\",\"a\":1}"}`,
  '{"url":"/x/download?expires=1&sign=sekret&b=2"}',
  '{"url":"/task/events?ticket=sekret"}',
])('%s is redacted and stays JSON', (line) => {
  expect(redact(line)).not.toContain('sekret')
  expect(() => JSON.parse(redact(line)) as unknown).not.toThrow()
})

test('what only looks alike stays', () => {
  const line = '{"msg":"authorization failed","design":"x=1&designs=2","key":"id"}'
  expect(redact(line)).toBe(line)
})
