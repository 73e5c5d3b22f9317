import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sendRequest } from './http/raw-http.ts'
import { hasPostgres, newDatabase } from './postgres.ts'
import { runCommand } from './run-command.ts'

const authorization = 'key-of-the-serve-tests'
const main = join(import.meta.dirname, '..', 'src', 'main.ts')

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-serve-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'data')
}

interface ServeOptions {
  readonly dataDir: string
  readonly args?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

/** Runs `reelwright serve` on a free port until it ends or the test does. */
function startServe({ dataDir, args = [], environment = {} }: ServeOptions) {
  const child = spawn(process.execPath, [main, 'serve', '--port', '0', ...args], {
    env: { ...process.env, REELWRIGHT_DATA_DIR: dataDir, REELWRIGHT_API_KEY: authorization, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [exit, err] = [once(child, 'exit'), text(child.stderr)]
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exit
  })
  return {
    child,
    /** Resolves to its address once it listens. */
    async address(): Promise<string> {
      const [firstOutput] = (await Promise.race([once(child.stdout, 'data'), exit.then(() => [''])])) as [
        Buffer,
      ]
      const [url] = /http:\/\/\S+/.exec(String(firstOutput)) ?? []
      if (url === undefined) throw new Error(`serve did not listen: ${await err}`)
      return url
    },
    async ended() {
      const [code] = (await exit) as [number | null]
      return { code, err: await err }
    },
  }
}

/** Runs `reelwright serve`, which ends before it listens, in this process. */
function rejectedServe({ dataDir, args = [], environment = {} }: ServeOptions) {
  const variables = { REELWRIGHT_DATA_DIR: dataDir, REELWRIGHT_API_KEY: authorization, ...environment }
  return runCommand(['serve', '--port', '0', ...args], variables)
}

test('runs until it gets a signal, as the only service of its data folder', async () => {
  const dataDir = await dataFolder()
  const { child, address, ended } = startServe({ dataDir })
  const url = await address()
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect((await sendRequest(`${url}/task/list`, { headers: { authorization } })).status).toBe(200)
  const second = await rejectedServe({ dataDir })
  expect(second.code).toBe(1)
  expect(second.err).toMatch(/^reelwright: another service runs on .*\nFix: .*--data-dir/)
  child.kill('SIGTERM')
  expect(await ended()).toEqual({ code: 0, err: '' })
})

test('restarts with the configured key, and rejects the previous one', async () => {
  const dataDir = await dataFolder()
  const statusOf = async (url: string, key: string) =>
    (await sendRequest(`${url}/task/list`, { headers: { authorization: key } })).status
  const other = 'another-key-of-the-serve-tests'
  const starts = [[authorization], [other, authorization], [authorization, other]]
  for (const [key, before] of starts) {
    const { child, address, ended } = startServe({ dataDir, environment: { REELWRIGHT_API_KEY: key ?? '' } })
    const url = await address()
    expect(await statusOf(url, key ?? '')).toBe(200)
    if (before !== undefined) expect(await statusOf(url, before)).toBe(401)
    child.kill('SIGTERM')
    expect(await ended()).toMatchObject({ code: 0 })
  }
})

test('a key that can be guessed is rejected, and nothing is created', async () => {
  const dataDir = await dataFolder()
  const environment = { REELWRIGHT_API_KEY: 'too-short-for-a-key' }
  const { code, err } = await rejectedServe({ dataDir, environment })
  expect(code).toBe(1)
  expect(err).toMatch(
    /^reelwright: REELWRIGHT_API_KEY .*fewer than 20 characters\nFix: .*unset it.*keys create/,
  )
  for (const part of ['too-short', 'short-for', 'for-a-key']) expect(err).not.toContain(part)
  expect(await readdir(join(dataDir, '..'))).toEqual([])
})

test.for<Omit<ServeOptions, 'dataDir'>>([
  { args: ['--host', '0.0.0.0'] },
  { environment: { REELWRIGHT_HOST: '::' } },
])('rejects keys over plain http from other machines: %j', async (options) => {
  const dataDir = await dataFolder()
  const { code, err } = await rejectedServe({ dataDir, ...options })
  expect(code).toBe(1)
  expect(err).toMatch(/^reelwright: .*plain http.*\nFix: .*TLS proxy.*--public-url https:/)
  expect(await readdir(join(dataDir, '..')), 'nothing was created').toEqual([])
})

test('behind a proxy it responds under its public address', async () => {
  const args = ['--public-url', 'https://media.example']
  const url = await startServe({ dataDir: await dataFolder(), args }).address()
  const status = async (host: string) =>
    (await sendRequest(`${url}/task/list`, { headers: { authorization, host } })).status
  expect(await status('media.example')).toBe(200)
  expect(await status('other.example')).toBe(401)
})

test('with a public address it may listen beyond loopback', async () => {
  // A reserved address (RFC 5737), on which nothing can listen.
  const args = ['--host', '192.0.2.1', '--public-url', 'https://media.example']
  const { err } = await rejectedServe({ dataDir: await dataFolder(), args })
  expect(err).toMatch(/^reelwright: cannot listen on 192\.0\.2\.1:0: .*EADDRNOTAVAIL/)
})

test('a public address without https is rejected', async () => {
  const args = ['--public-url', 'http://media.example']
  const { code, err } = await rejectedServe({ dataDir: await dataFolder(), args })
  expect([code, err]).toEqual([1, expect.stringContaining('--public-url: must be an https address')])
})

test('an unreachable database is reported without a stack or the password', async () => {
  const environment = { DATABASE_URL: 'postgres://me:sekret@localhost:9/x' }
  const { code, err } = await rejectedServe({ dataDir: await dataFolder(), environment })
  expect(code).toBe(1)
  expect(err).toMatch(
    /^reelwright: PostgreSQL at localhost:9 cannot be used: connect ECONNREFUSED .*\nFix: .*DATABASE_URL/,
  )
  expect(err).not.toMatch(/sekret| {4}at /)
})

describe.skipIf(!hasPostgres)('on PostgreSQL (Debian package postgresql)', () => {
  test('a database accepts one service, which stops when it loses the lock', async () => {
    const environment = { DATABASE_URL: await newDatabase() }
    const first = startServe({ dataDir: await dataFolder(), environment })
    await first.address()
    const second = await rejectedServe({ dataDir: await dataFolder(), environment })
    expect(second.code).toBe(1)
    expect(second.err).toMatch(
      new RegExp(
        `^reelwright: another service uses the database of .* \\(reelwright process ${first.child.pid} on .*\\)\\nFix: `,
      ),
    )

    const other = new pg.Client(environment.DATABASE_URL)
    await other.connect()
    const sessionFilter = `datname = current_database() and application_name like 'reelwright process %'`
    await other.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${sessionFilter}`)
    await other.end()
    const { code, err } = await first.ended()
    expect(code).toBe(1)
    expect(err).toMatch(/\nreelwright: the lock on the database .* was lost: .*\nFix: .*\n$/)
  })
})
