import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { isOpenToOthers, nobody } from './open-to-others.ts'
import { api } from './service/api.ts'
import { mainModule } from './run-command.ts'
import { sampleCases } from './soak-size.ts'

// Services of users that own only their data folder. Only root can start processes of other users.

const isRoot = process.getuid?.() === 0

/** A user that is not in the list of users. */
const unlisted = 54_321

/** A folder that all users can enter, with a copy of Node: the installed one may be in a folder of one user. */
let folder = ''
beforeAll(async () => {
  if (!isRoot) return
  folder = await mkdtemp(join(tmpdir(), 'reelwright-users-'))
  await chmod(folder, 0o755)
  await copyFile(process.execPath, join(folder, 'node'))
})
afterAll(async () => {
  if (isRoot) await rm(folder, { recursive: true, force: true })
})

/** Creates a folder that belongs to a user. */
async function createOwnFolder(user: number, name: string): Promise<string> {
  const path = join(folder, `${user}-${name}`)
  await mkdir(path, { mode: 0o700 })
  await chown(path, user, user)
  return path
}

function startAs(user: number, args: readonly string[], environment: NodeJS.ProcessEnv) {
  return spawn(join(folder, 'node'), args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...environment },
    // Also drops the groups of root.
    ...{ uid: user, gid: user },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Starts `reelwright serve` as a user, and returns its address. */
async function serveAs(user: number, environment: NodeJS.ProcessEnv): Promise<string> {
  const child = startAs(user, [mainModule, 'serve', '--port', '0'], environment)
  const [exit, err] = [once(child, 'exit'), text(child.stderr)]
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await exit
  })
  const listening = once(child.stdout, 'data') as Promise<[Buffer]>
  const [output] = await Promise.race([listening, exit.then(() => [''])])
  const [url] = /http:\/\/\S+/.exec(String(output)) ?? []
  if (url === undefined) throw new Error(`serve did not listen: ${await err}`)
  return url
}

const isOpen = (await isOpenToOthers(mainModule)) && (await isOpenToOthers(join(tmpdir(), 'any')))

describe.skipIf(!isRoot || !isOpen)(
  'a service (needs root, and a checkout that other users can read)',
  () => {
    // The first user has no home folder either.
    const users = [
      ['that is not in the list of users', unlisted, false],
      ['without a home folder', nobody, false],
      ['with a home folder', nobody, true],
    ] as const
    test.each(sampleCases(users, 1))('of a user %s runs a task', async (name, user, hasHome) => {
      const context = name.replaceAll(' ', '-')
      const dataDir = await createOwnFolder(user, `${context}-data`)
      const apiKey = 'key-of-the-tests-of-other-users'
      const baseUrl = await serveAs(user, {
        ...{ REELWRIGHT_DATA_DIR: dataDir, REELWRIGHT_API_KEY: apiKey, REELWRIGHT_PULL_MODELS: 'false' },
        ...(hasHome && { HOME: await createOwnFolder(user, `${context}-home`) }),
      })
      const { create, ended } = api({ baseUrl, apiKey })
      const html = '<template data-composition-id="d" data-width="64" data-height="64"><p>x</p></template>'
      const { data: created } = await create('check_particle', { html, duration: 0.2, fps: 5 })
      expect((await ended('check_particle', created.task_id)).data.status).toBe('completed')
    })
  },
)
