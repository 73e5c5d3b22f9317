import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sendRequest } from './http/raw-http.ts'
import { hasPostgres, newDatabase } from './postgres.ts'
import { mainModule, runCommand, spawnCommand } from './run-command.ts'

// The commands that administer accounts, run as processes, with and without a running service.

type Environment = Readonly<Record<string, string>>

async function newEnvironment(more: Environment = {}): Promise<Environment> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-administer-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return { REELWRIGHT_DATA_DIR: join(folder, 'data'), REELWRIGHT_API_KEY: 'own-key-of-the-service', ...more }
}

function reelwright(environment: Environment, ...args: readonly string[]) {
  return runCommand(args, environment)
}

/** Runs `serve` until the test ends; returns its address. */
async function serveUntilFinished(environment: Environment): Promise<string> {
  const child = spawn(process.execPath, [mainModule, 'serve', '--port', '0'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [exit, err] = [once(child, 'exit'), text(child.stderr)]
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exit
  })
  const [firstOutput] = (await Promise.race([once(child.stdout, 'data'), exit.then(() => [''])])) as [Buffer]
  const [url] = /http:\/\/\S+/.exec(String(firstOutput)) ?? []
  if (url === undefined) throw new Error(`serve did not listen: ${await err}`)
  return url
}

async function creditsAt(url: string, authorization: string): Promise<unknown> {
  const { status, bytes } = await sendRequest(`${url}/base/capabilities`, { headers: { authorization } })
  return status === 200 ? (JSON.parse(String(bytes)) as { data: { credits: unknown } }).data.credits : status
}

/** Creates, lists, uses and revokes keys, some by commands in processes of their own; returns the status of a request with the revoked key. */
async function useKeyUntilRevoked(environment: Environment, run: typeof runCommand): Promise<unknown> {
  const url = await serveUntilFinished(environment)
  const options = ['--name', 'editor', '--account', 'studio', '--quota', '7']
  const created = await run(['keys', 'create', ...options], environment)
  expect(created).toMatchObject({ code: 0, out: expect.stringMatching(/^rw_[\w-]{43}\n$/) })
  const key = created.out.trim()
  const [id = ''] = /\d{19}/.exec(created.err) ?? []
  expect(await creditsAt(url, key)).toEqual({ balance: 0, quota: { limit: 7, spent: 0 } })

  const granted = await reelwright(environment, 'credits', 'grant', '--account', 'studio', '40')
  expect(granted).toEqual({ code: 0, out: 'the account studio has 40 credits\n', err: '' })
  expect(await creditsAt(url, key)).toMatchObject({ balance: 40 })

  const setType = (type: string, account: string) =>
    reelwright(environment, 'accounts', 'set-type', '--account', account, type)
  expect(await setType('internal', 'studio')).toEqual({
    ...{ code: 0, out: 'the account studio is internal\n', err: '' },
  })
  expect(await setType('internal', 'nobody')).toMatchObject({
    ...{ code: 1, err: expect.stringContaining('there is no account "nobody"') },
  })
  expect(await run(['accounts', 'set-type', '--account', 'studio', 'free'], environment)).toMatchObject({
    ...{ code: 2, err: expect.stringContaining('<type> must be standard or internal') },
  })

  const local = await reelwright(environment, 'keys', 'create', '--name', 'mine', '--days', '30')
  expect(await creditsAt(url, local.out.trim())).toEqual({ balance: 1e12, unlimited: true })

  const listed = await reelwright(environment, 'keys', 'list')
  expect(listed).toMatchObject({ code: 0, err: '' })
  expect(listed.out).toMatch(new RegExp(`^${id} +editor +studio +\\S+Z +7 +0 +- +-$`, 'm'))
  const [, expires = ''] = / mine +local +\S+ +- +0 +(\S+) +-$/m.exec(listed.out) ?? []
  expect(Date.parse(expires) / 86_400_000).toBeCloseTo(Date.now() / 86_400_000 + 30, 2)
  expect(listed.out).not.toContain('rw_')

  expect(await run(['keys', 'revoke', id], environment)).toMatchObject({ code: 0, err: '' })
  const { out } = await reelwright(environment, 'keys', 'list')
  expect(out).toMatch(new RegExp(`^${id} +editor .* - +\\S+Z$`, 'm'))
  return await creditsAt(url, key)
}

/** Changes the version of the tables of a running service, which the commands then reject. */
async function expectOtherVersionsRejected(environment: Environment): Promise<void> {
  const database = new DatabaseSync(join(environment['REELWRIGHT_DATA_DIR'] ?? '', 'reelwright.sqlite'))
  const [last] = database.prepare('select name from kysely_migration order by name desc').all()
  database.prepare('delete from kysely_migration where name = ?').run(String(last?.['name']))
  const older = await reelwright(environment, 'keys', 'list')
  expect([older.code, older.err]).toEqual([
    1,
    expect.stringMatching(
      /^reelwright: a service of another version runs on .*\nFix: Stop it, or restart it/,
    ),
  ])
  database
    .prepare('insert into kysely_migration (name, timestamp) values (?, ?), (?, ?)')
    .run(String(last?.['name']), '', '9999-later', '')
  database.close()
  const newer = await reelwright(environment, 'keys', 'list')
  expect([newer.code, newer.err]).toEqual([
    1,
    expect.stringMatching(
      /^reelwright: the database was created by a newer version \(9999-later\)\nFix: Update/,
    ),
  ])
}

test('keys and credits take effect at once in a running service', async () => {
  expect(await useKeyUntilRevoked(await newEnvironment(), spawnCommand)).toBe(401)
})

test('keys are created before the first start and concurrently, unless the tables are of another version', async () => {
  const environment = await newEnvironment()
  const { out } = await reelwright(environment, 'keys', 'create', '--name', 'a', '--account', 'studio')
  const local = await reelwright(environment, 'keys', 'create', '--name', 'mine')
  const url = await serveUntilFinished(environment)
  expect(await creditsAt(url, out.trim())).toEqual({ balance: 0 })
  expect(await creditsAt(url, local.out.trim())).toEqual({ balance: 1e12, unlimited: true })

  const created = await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      reelwright(environment, 'keys', 'create', '--name', name, '--account', 'x'),
    ),
  )
  for (const { out: key } of created) expect(await creditsAt(url, key.trim())).toEqual({ balance: 0 })
  const listed = await reelwright(environment, 'keys', 'list')
  expect(listed.out.match(/ x /g)).toHaveLength(3)
  await expectOtherVersionsRejected(environment)
})

test.for([
  [['keys'], 2, 'unknown command keys'],
  [['keys', 'create'], 2, '--name is missing'],
  [['keys', 'create', '--name', 'a', '--quota', '-1'], 2, '--quota'],
  [['keys', 'create', '--name', 'a', '--quota', '1.5'], 2, '--quota must be a whole number'],
  [['keys', 'create', '--name', 'a\u001b[2J'], 1, '1 to 64 visible characters'],
  [['keys', 'create', '--name', 'embedded'], 1, "is the service's own"],
  [['keys', 'revoke'], 2, 'takes one argument: <id>'],
  [['keys', 'revoke', '1', '2'], 2, 'takes one argument: <id>'],
  [['keys', 'revoke', 'nothing'], 1, 'there is no key "nothing"'],
  [['credits', 'grant', '5'], 2, '--account is missing'],
  [['credits', 'grant', '--account', 'nobody', '5'], 1, 'there is no account "nobody"'],
  [['credits', 'grant', '--account', 'local', '0'], 2, '<credits> must be a whole number'],
] as const)('%j is rejected', async ([args, code, message]) => {
  const ended = await reelwright(await newEnvironment(), ...args)
  expect([ended.code, ended.out]).toEqual([code, ''])
  expect(ended.err).toContain(message)
  expect(ended.err).not.toMatch(/^ {4}at /m)
})

describe.skipIf(!hasPostgres)('on PostgreSQL (Debian package postgresql)', () => {
  test('keys and credits take effect at once in a running service', async () => {
    const environment = await newEnvironment({ DATABASE_URL: await newDatabase() })
    expect(await useKeyUntilRevoked(environment, runCommand)).toBe(401)
  })
})
