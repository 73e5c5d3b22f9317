import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { onTestFinished } from 'vitest'
import { limitConcurrency } from '../src/platform/concurrency.ts'
import { generatedFile } from './engines/ffmpeg/media-cache.ts'
import { listen } from './setup/postgres-server.ts'

const run = promisify(execFile)
const creation = join(import.meta.dirname, 'empty-postgres-server.ts')

/** PostgreSQL as WebAssembly in this process. */
export interface EmbeddedPostgres {
  /** Runs statements outside of the connections. */
  readonly exec: PGlite['exec']
  readonly url: string
  /** Stops it, and returns its data. */
  readonly stop: () => Promise<Blob>
}

/**
 * Starts a server until the end of the test. It has one session: a connection with a transaction makes the others wait.
 * data: of a stopped one.
 */
export async function startEmbeddedPostgres({
  hasPgvector,
  data,
}: {
  readonly hasPgvector: boolean
  readonly data?: Blob
}): Promise<EmbeddedPostgres> {
  const options: PGliteOptions = { ...(hasPgvector && { extensions: { vector } }) }
  const db = await PGlite.create({ ...options, loadDataDir: data ?? (await emptyData()) })
  const inTurn = limitConcurrency(1)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    serve(db, socket, inTurn).then(
      () => socket.end(),
      (error: Error) => socket.destroy(error),
    )
  })
  const port = await listen(server)
  const close = async () => {
    server.close()
    for (const socket of sockets) socket.destroy()
    if (!db.closed) await db.close()
  }
  onTestFinished(close)
  return {
    exec: (statements) => db.exec(statements),
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      const dump = await db.dumpDataDir('none')
      await close()
      return dump
    },
  }
}

/** Returns the data of a server without tables, which takes most of a start to create. */
async function emptyData(): Promise<Blob> {
  const description = join(import.meta.dirname, '../node_modules/@electric-sql/pglite/package.json')
  const path = await generatedFile('.tar', {
    // With its version.
    program: [await readFile(description, 'utf8')],
    args: ['empty'],
    // In a process whose WebAssembly is not optimized, which would take longer than it saves.
    generate: (to) => run(process.execPath, ['--liftoff-only', creation, to]),
  })
  return new Blob([await readFile(path)])
}

/** State of a session without a transaction, at the end of each reply. */
const idle = 'I'.charCodeAt(0)

async function serve(db: PGlite, socket: Socket, inTurn: ReturnType<typeof limitConcurrency>): Promise<void> {
  const batches = readBatches(socket)
  for await (const first of batches) {
    await inTurn(async () => {
      for (let batch: Buffer | undefined = first; batch;) {
        const reply = await db.execProtocolRaw(batch)
        if (!socket.destroyed) socket.write(reply)
        if (reply.at(-1) === idle) return
        const { value, done } = await batches.next()
        batch = done === true ? undefined : value
      }
      if (!db.closed) await db.exec('rollback')
    })
  }
}

/** Returns the start message, then the messages up to a query or to the end of a group, until the client ends. */
async function* readBatches(socket: Socket): AsyncGenerator<Buffer, void> {
  let [received, complete, hasStarted] = [Buffer.alloc(0), 0, false]
  try {
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk as Buffer])
      for (;;) {
        // Only the start message has no type.
        const header = hasStarted ? 5 : 4
        if (received.length < complete + header) break
        const length = received.readInt32BE(complete + header - 4) + header - 4
        if (received.length < complete + length) break
        const type = hasStarted ? String.fromCharCode(received[complete] ?? 0) : 'start'
        complete += length
        if (type === 'X') return
        if (!['start', 'S', 'Q'].includes(type)) continue
        hasStarted = true
        yield received.subarray(0, complete)
        received = received.subarray(complete)
        complete = 0
      }
    }
  } catch {
    // The client has closed the connection.
  }
}
