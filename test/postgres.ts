import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createConnection, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)

/** A private PostgreSQL server on loopback. */
export interface Postgres extends AsyncDisposable {
  /** Makes an empty database and answers its address. */
  database(): Promise<string>
}

/** Where Debian keeps the servers of each version, newest first; also what PATH-less systems use. */
async function findPrograms(): Promise<string | undefined> {
  const base = '/usr/lib/postgresql'
  const versions = existsSync(base) ? await readdir(base) : []
  return versions
    .toSorted((one, other) => Number(other) - Number(one))
    .map((version) => join(base, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')))
}

/** The folder of PostgreSQL's programs; undefined where the package is not installed. */
export const postgresPrograms = await findPrograms()

/** The server refuses to run as root, so root runs it as the package's own user. */
async function serverUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const id = async (flag: string): Promise<number> => Number((await run('id', [flag, 'postgres'])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Starts a server in a folder of its own; disposing stops it by its pid and removes the folder. */
export async function startPostgres(programs: string): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-postgres-'))
  const user = await serverUser()
  if (user) await chown(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  await run(join(programs, 'initdb'), ['-D', data, '-U', 'test', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    ...user,
    cwd: folder,
  })
  const port = await freePort()
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    `unix_socket_directories=${folder}`,
    'fsync=off',
  ]
  const server = spawn(join(programs, 'postgres'), ['-D', data, ...settings.flatMap((one) => ['-c', one])], {
    ...user,
    cwd: folder,
    stdio: 'ignore',
  })
  const exited = once(server, 'exit')
  await untilAnswering(port, exited)
  let made = 0
  return {
    async database() {
      made += 1
      const name = `test_${made}`
      const client = await connect(port, 'postgres')
      await client.query(`create database ${name}`)
      await client.end()
      return `postgres://test@127.0.0.1:${port}/${name}`
    },
    async [Symbol.asyncDispose]() {
      // Waits until its last client has gone.
      server.kill('SIGTERM')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function untilAnswering(port: number, exited: Promise<unknown>): Promise<void> {
  for (;;) {
    const answering = await Promise.race([answers(port), exited.then(() => null)])
    if (answering === null) throw new Error('PostgreSQL did not start')
    if (answering) return
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1')
  const open = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  socket.destroy()
  if (!open) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    return false
  }
  // The port opens before the server takes queries.
  return await connect(port, 'postgres').then(
    (client) => client.end().then(() => true),
    () => false,
  )
}

async function connect(port: number, database: string): Promise<pg.Client> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'test', database })
  await client.connect()
  return client
}
