import { execFile } from 'node:child_process'
import { mkdtempDisposable, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openLog, openLogFile, redact, registerSecret } from './log.ts'

test('lines contain their task id and no keys at any depth', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'log-'))
  const file = join(folder.path, 'logs', 'daemon.log')
  const log = openLog({ file }).child({ task_id: '1234567890123456789' })
  log.info(
    { req: { headers: { authorization: 'sekret', host: 'h' }, deep: [{ apiKey: 'sekret' }] } },
    'received',
  )
  log.error(new Error('GET /task/list?page=1&Authorization=sekret failed'))
  const text = await readFile(file, 'utf8')
  const [first] = text.split('\n').map((line) => JSON.parse(line || 'null') as unknown)
  expect(first).toMatchObject({
    task_id: '1234567890123456789',
    msg: 'received',
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
  String.raw`{"api_key":"a \"quoted\" sekret"}`,
  '{"url":"/x/download?expires=1&sign=sekret&b=2"}',
  '{"url":"/task/events?ticket=sekret"}',
  '{"data":{"ticket":"sekret","expires_at":"2026"}}',
  '{"input":"postgres://reelwright:sekret@db.example:5432/x"}',
  '{"input":"postgres://reelwright:p@ss/sekret@db.example/x"}',
  '{"msg":"no such key: rw_sekretsekretsekretsekret-sekretsekretsekret"}',
])('%s is redacted and stays JSON', (line) => {
  expect(redact(line)).not.toContain('sekret')
  expect(() => JSON.parse(redact(line)) as unknown).not.toThrow()
})

test.each([
  "{ authorization: 'sekret', 'proxy-authorization': 'sekret', host: 'h' }",
  'GET / HTTP/1.1\nauthorization: sekret\nhost: h',
  'curl -H "Authorization: Bearer sekret" http://127.0.0.1',
  'host=db password=sekret user=x',
  'postgres://user:sekret@db/x and postgres://sekret:p%40@db',
])('%j, which is not JSON, is redacted', (text) => {
  expect(redact(text)).not.toContain('sekret')
})

test('text that only resembles a secret is unchanged', () => {
  const line =
    '{"msg":"authorization failed","design":"x=1&designs=2","key":"id","at":"http://127.0.0.1:8787/x","to":"a@b"}'
  expect(redact(line)).toBe(line)
})

test('a registered secret is redacted wherever it is logged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (generated, before) => {
      // It stays registered in this process, so other tests must not log it.
      const secret = `sekret: ${generated}`
      registerSecret(secret)
      const line = redact(JSON.stringify({ msg: `${before}${secret}`, deep: [{ [secret]: true }] }))
      expect(line).not.toContain(JSON.stringify(secret).slice(1, -1))
    }),
  )
})

test('any logged text becomes one line without control characters', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'log-'))
  const file = join(folder.path, 'log')
  const log = openLog({ file })
  const hostile = [
    'line\r\n{"level":60,"msg":"forged"}',
    '\u001B[2J\u009B31m\u007F',
    'film\u202Egpj.exe\u2028next',
  ]
  for (const name of hostile) log.warn({ name, err: new Error(name) }, name)
  const text = await readFile(file, 'utf8')
  const lines = text.trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(hostile)
  expect(text).not.toMatch(/[^\n\u0020-\u007E]/)
})

test('a log file is limited in size, and all writers continue after a rotation', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'log-'))
  const path = join(folder.path, 'log')
  const file = openLogFile(path, 1000)
  const other = openLogFile(path, 1_000_000)
  const line = `${'x'.repeat(99)}\n`
  for (let count = 0; count < 55; count += 1) file.write(line)
  expect((await stat(path)).size).toBeLessThanOrEqual(1000)
  expect((await stat(`${path}.1`)).size).toBe(1100)
  other.write('from another\n')
  file.write(line)
  expect(await readFile(path, 'utf8')).toMatch(/^(x{99}\n)*from another\nx{99}\n$/)
})

test.runIf(process.platform === 'linux').each(['file', 'stderr'])(
  'a full disk does not end the process when it logs to %s',
  async (where) => {
    const source = `
      import { openLog } from ${JSON.stringify(join(import.meta.dirname, 'log.ts'))}
      const log = openLog(${where === 'file' ? "{ file: '/dev/full' }" : ''})
      log.error('lost')
      setImmediate(() => { log.error('lost too'); console.log('alive') })`
    const stdout = await new Promise((resolve) => {
      const redirect = where === 'stderr' ? '2>/dev/full' : ''
      const shell = ['-c', `exec "$0" --input-type=module -e "$1" ${redirect}`, process.execPath, source]
      execFile('/bin/sh', shell, (_, out) => resolve(out))
    })
    expect(stdout).toBe('alive\n')
  },
)

test('a registered secret is redacted in every encoding of a service', () => {
  const secret = 'sk-Reelwright/0123+456789=Zz'
  registerSecret(secret)
  const escaped = (digits: (byte: string) => string) =>
    Buffer.from(secret)
      .toString('hex')
      .replaceAll(/../g, (byte) => digits(byte))
  const basic = Buffer.from(`user:${secret}`).toString('base64')
  const forms = [
    secret,
    encodeURIComponent(secret),
    escaped((byte) => byte),
    escaped((byte) => byte.toUpperCase()),
    escaped((byte) => `%${byte}`),
    escaped((byte) => `%${byte.toUpperCase()}`),
    escaped((byte) => String.raw`\u00${byte}`),
    escaped((byte) => String.raw`\x${byte}`),
    [...secret].toReversed().join(''),
  ]
  for (const form of forms) {
    expect(redact(`key (${form}) is wrong`)).toBe('key ([redacted]) is wrong')
    expect(redact(JSON.stringify({ msg: form }))).toBe('{"msg":"[redacted]"}')
  }
  for (const [before, after] of [
    ['', ''],
    ['Bearer ', '\n'],
    ['user:', ''],
    ['ab', 'cdef'],
  ] as const) {
    for (const encoding of ['base64', 'base64url'] as const) {
      const said = Buffer.from(`${before}${secret}${after}`).toString(encoding)
      const left = redact(`key ${said} is wrong`)
      expect(left).toContain('[redacted]')
      expect(left.length).toBeLessThan(40 + before.length + after.length)
    }
  }
  expect(redact(`authorization: Basic ${basic}`)).not.toContain(basic.slice(12))
})
