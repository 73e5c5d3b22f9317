import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { createConnection, createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)

/** A private PostgreSQL server on loopback. */
export interface Postgres extends AsyncDisposable {
  /** Creates an empty database and returns its address. */
  database(): Promise<string>
}

/** User that runs the server when the tests run as root, which PostgreSQL rejects. */
async function serverUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const id = async (flag: string): Promise<number> => Number((await run('id', [flag, 'postgres'])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}

/** Binds a server to a free loopback port and returns the port. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  server.close()
  await once(server, 'close')
  return port
}

/** Starts a server in a temporary folder. Disposing stops it and removes the folder. */
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
    // Enough for the connection pools of all concurrent services.
    'max_connections=300',
  ]
  const server = spawn(join(programs, 'postgres'), ['-D', data, ...settings.flatMap((one) => ['-c', one])], {
    ...user,
    cwd: folder,
    stdio: 'ignore',
  })
  const exited = once(server, 'exit')
  await untilAccepting(port, exited)
  let count = 0
  return {
    async database() {
      count += 1
      const name = `test_${count}`
      const client = await connect(port)
      await client.query(`create database ${name}`)
      await client.end()
      return `postgres://test@127.0.0.1:${port}/${name}`
    },
    async [Symbol.asyncDispose]() {
      // Without waiting for clients, because all tests have ended.
      server.kill('SIGINT')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function untilAccepting(port: number, exited: Promise<unknown>): Promise<void> {
  for (;;) {
    const isReady = await Promise.race([acceptsQueries(port), exited.then(() => null)])
    if (isReady === null) throw new Error('PostgreSQL did not start')
    if (isReady) return
  }
}

async function acceptsQueries(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1')
  const open = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  socket.destroy()
  if (!open) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    return false
  }
  // The port opens before the server accepts queries.
  return await connect(port).then(
    (client) => client.end().then(() => true),
    () => false,
  )
}

async function connect(port: number): Promise<pg.Client> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'test', database: 'postgres' })
  await client.connect()
  return client
}
