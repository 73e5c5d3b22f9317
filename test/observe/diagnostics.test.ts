import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, afterEach, describe, expect, test } from 'vitest'
import { newKey } from '../../src/platform/hosting.ts'
import { runCommand, type CommandResult } from '../run-command.ts'
import { api, pollUntil } from '../service/api.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { readExposition } from './exposition.ts'

const main = join(dirname(dirname(import.meta.dirname)), 'src', 'main.ts')

/** Secrets by the place where they are planted. */
const secrets = {
  fileKey: newKey(),
  variableKey: `hunter2-"quoted"-${'k'.repeat(20)}`,
  daemonKey: '0123456789abcdef'.repeat(4),
  password: 'p@ss/wörd of the database',
  signature: 'sekret-signature',
  ticket: 'sekret-ticket',
}
const names = {
  home: 'home of anna-private',
  folder: 'Secret Plan (2) + ünïcode',
  upload: 'wedding of A & B: "take 2"; final.txt',
  path: 'tax return 2026.mp4',
  host: 'studio-private.example',
}
const databaseUrl = `postgres://reel:${encodeURIComponent(secrets.password)}@${names.host}/db`

let home: string
let dataDir: string
beforeEach(async () => {
  home = join(await mkdtemp(join(tmpdir(), 'reelwright-diagnostics-')), names.home)
  dataDir = join(home, names.folder, 'data')
  await mkdir(dataDir, { recursive: true })
})
afterEach(() => rm(dirname(home), { recursive: true, force: true }))

function diagnostics(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const env = { ...process.env, HOME: home, REELWRIGHT_DATA_DIR: dataDir, ...environment }
  return new Promise((resolve) => {
    execFile(process.execPath, [main, 'diagnostics', ...args], { env, cwd: home }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    )
  })
}

/** Writes a report in this process. */
function diagnosticsHere(output: string): Promise<CommandResult> {
  const environment = { HOME: home, REELWRIGHT_DATA_DIR: dataDir }
  return runCommand(['diagnostics', '--output', output], environment)
}

/** The sections of a report by their titles. */
function sectionsOf(text: string): Map<string, string> {
  const parts = text.split(/^== (.*) ==$/m).slice(1)
  return new Map(
    parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1]?.trim() ?? '']] : [])),
  )
}

function spellings(text: string): string[] {
  return [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text), encodeURI(text)]
}

function expectNone(text: string, words: readonly string[]): void {
  for (const word of words.flatMap(spellings)) expect(text).not.toContain(word)
}

/** Words, such as names of machines: a short one also occurs inside random names of folders. */
function wordsOf(text: string): string[] {
  return text.split(/[^\w.-]+/)
}

/** A log that contains private data in every possible form. */
async function plantLog(): Promise<void> {
  const { fileKey, variableKey, daemonKey, password, signature, ticket } = secrets
  const path = join(home, names.folder, names.path)
  const error = { type: 'Error', message: `ENOENT: open '${path}'`, path, code: 'ENOENT' }
  const lines = [
    { msg: 'request', request_id: 'kept-id', route: '/task/:task_type', status: 400, ms: 4 },
    { msg: 'request', headers: { authorization: fileKey, cookie: `a=${variableKey}` } },
    { msg: 'request', rawHeaders: ['Authorization', daemonKey] },
    {
      msg: 'asked',
      url: `/base/file/1/download?expires=1&sign=${signature}`,
      socket: `/task/events?ticket=${ticket}`,
    },
    {
      msg: 'attempt failed',
      err: { ...error, stack: `Error: ENOENT: open '${path}'\n    at open (node:fs:1:2)` },
    },
    {
      msg: 'request failed',
      err: { type: 'Error', message: databaseUrl, stack: `Error: ${databaseUrl}`, input: password },
    },
    {
      msg: 'attempt failed',
      err: { type: 'MediaError', code: 6017, message: names.upload, stack: names.upload },
    },
    { msg: 'worker output', output: `${names.upload}: ${fileKey} of ${hostname()}` },
    { msg: 'asked', text: `key ${variableKey}, ${encodeURIComponent(variableKey)}` },
  ]
  const crash = [
    `Error: ${names.upload} ${path}`,
    `    at run (file://${encodeURI(home)}/node_modules/x/main.js:1:2)`,
    `  authorization: '${daemonKey}', url: '${databaseUrl}'`,
    `${fileKey} ${path}\u001B[2J\u009B31m`,
  ]
  const text = [
    ...lines.map((line) => JSON.stringify({ level: 30, hostname: hostname(), ...line })),
    ...crash,
  ].join('\n')
  await writeFile(join(dataDir, 'daemon.log'), `${text}\n`)
}

async function plantSettings(): Promise<void> {
  const allowed = join(home, names.folder, 'films')
  await writeFile(
    join(dataDir, 'reelwright.config.json'),
    JSON.stringify({
      api_key: secrets.fileKey,
      database_url: databaseUrl,
      allowed_dirs: [allowed],
      workspace: allowed,
    }),
  )
}

describe('with secrets planted everywhere', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startTestService()
    await plantLog()
    await plantSettings()
    const calls = api(service)
    const { data: file } = await calls.upload(names.upload, 'some bytes')
    const { data: task } = await calls.create('test_copy', { file_id: file.file_id, behaviour: 'refuse' })
    await pollUntil(
      () => calls.query('test_copy', task.task_id),
      ({ data }) => data.status === 'failed',
    )
    const error = { code: 6017, message: `${names.upload}: ${names.path}`, retryable: false }
    await service.running.service.db
      .updateTable('tasks')
      .set({ output: JSON.stringify({ error }) })
      .execute()
  })
  afterEach(() => service[Symbol.asyncDispose]())

  async function reportOf(args: readonly string[]): Promise<string> {
    const path = join(home, 'report.txt')
    const { code, out, err } = await diagnostics(['--output', path, ...args], {
      REELWRIGHT_BASE_URL: service.baseUrl,
      REELWRIGHT_API_KEY: service.apiKey,
      PGPASSWORD: secrets.variableKey,
    })
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain(path)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    return await readFile(path, 'utf8')
  }

  const secretCopies = () => [
    ...Object.values(secrets).filter((one) => one !== secrets.variableKey),
    service.apiKey,
  ]

  test('the report contains no secret and no name, but all useful data', async () => {
    const text = await reportOf([])
    expectNone(text, [...secretCopies(), secrets.variableKey])
    expectNone(text, [...Object.values(names), home, 'wedding', 'tax return', 'Secret Plan', 'anna'])
    expect(wordsOf(text)).not.toContain(hostname())
    expect(text).not.toMatch(/[^\n\t\u0020-\uFFFF]|[\u007F-\u009F]/)

    const sections = sectionsOf(text)
    expect([...sections.keys()]).toEqual([
      'Versions',
      'Doctor',
      'Settings',
      'Service',
      'Latest tasks',
      'Metrics',
      'End of the log of the local service',
    ])
    expect(sections.get('Versions')).toContain(`Node ${process.versions.node}`)
    expect(sections.get('Doctor')).toContain('<allowed folder>')
    expect(sections.get('Doctor')).toContain('unlimited credits')
    expect(sections.get('Settings')).toMatch(
      /^api_key +set$[^]*^database_url +set$[^]*^base_url +set\n\nVariables .*: .*REELWRIGHT_API_KEY/m,
    )
    expect(sections.get('Settings'), 'what nobody set').not.toMatch(/log_?level|host|rate_?limits|false/i)
    expect(JSON.parse(sections.get('Service') ?? '')).toMatchObject({ protocol_version: 2 })
    const [count, task = ''] = sections.get('Latest tasks')?.split('\n') ?? []
    expect(count).toBe('1 of 1')
    expect(JSON.parse(task)).toMatchObject({
      status: 'failed',
      error: { code: 6017, meaning: 'Media probe failed' },
    })
    expect(readExposition(`${sections.get('Metrics')}\n`).sum('reelwright_tasks_ended_total')).toBe(1)
    const log = sections.get('End of the log of the local service') ?? ''
    expect(log).toContain('"request_id":"kept-id"')
    expect(log).toContain('"code":"ENOENT"')
    expect(log).toContain('at open (node:fs:1:2)')
    expect(log).toContain('at run (file://~/node_modules/x/main.js:1:2)')
  })

  test('names are kept on request, secrets never', async () => {
    const text = await reportOf(['--with-names'])
    expectNone(text, secretCopies())
    expect(wordsOf(text)).not.toContain(hostname())
    expect(text).toContain(names.path)
    expect(text).toContain(names.folder)
    expect(text).toContain(JSON.stringify(names.upload).slice(1, -1))
  })
})

test('a report is written without a service, with unreadable settings and without a log', async () => {
  await writeFile(join(dataDir, 'reelwright.config.json'), `{ "api_key": ${secrets.fileKey} `)
  const { code, out } = await diagnostics([])
  expect(code).toBe(0)
  const [path = ''] = out.split(' (')
  expect(path).toMatch(/reelwright-diagnostics-[\w-]+\.txt$/)
  const text = await readFile(path, 'utf8')
  expectNone(text, [secrets.fileKey, home])
  const sections = sectionsOf(text)
  expect(sections.get('Doctor')).toContain('is not valid JSON')
  expect(sections.get('Settings')).toContain('they are invalid')
  expect(sections.get('Service')).toBe('not running')
})

test('an existing file is not overwritten, and an unwritable path is reported', async () => {
  const path = join(home, 'mine.txt')
  await writeFile(path, 'mine')
  const unwritablePaths = [
    [path, 'mine.txt already exists'],
    [join(home, 'nowhere', 'report.txt'), 'ENOENT'],
  ] as const
  for (const [output, reason] of unwritablePaths) {
    const { code, err } = await diagnosticsHere(output)
    expect(code).toBe(1)
    expect(err).toMatch(/^reelwright: the report cannot be written: .*\nFix: .*--output/)
    expect(err).toContain(reason)
  }
  expect(await readFile(path, 'utf8')).toBe('mine')
})

test('a long log is shortened to its end, from a whole line', async () => {
  const line = (number: number) => JSON.stringify({ level: 30, msg: 'request', ms: number })
  const lines = Array.from({ length: 30_000 }, (_, number) => line(number))
  await writeFile(join(dataDir, 'daemon.log.1'), `${lines.slice(0, 29_000).join('\n')}\n`)
  await writeFile(join(dataDir, 'daemon.log'), `${lines.slice(29_000).join('\n')}\n`)
  await diagnosticsHere(join(home, 'report.txt'))
  const text = await readFile(join(home, 'report.txt'), 'utf8')
  expect(text.length).toBeLessThan(600_000)
  const logLines = sectionsOf(text).get('End of the log of the local service')?.split('\n') ?? []
  const [first = ''] = logLines
  const { ms } = JSON.parse(first) as { ms: number }
  expect(logLines).toEqual(
    lines
      .slice(ms)
      .map((one) =>
        JSON.stringify({ level: 30, ms: (JSON.parse(one) as { ms: number }).ms, msg: 'request' }),
      ),
  )
  expect(ms).toBeGreaterThan(10_000)
})
