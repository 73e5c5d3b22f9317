import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { listen, startPostgres, type Postgres } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of a server that creates an empty database per request; null if PostgreSQL is not installed. */
    readonly newDatabases: string | null
  }
}

/** Provides databases on one server, which starts on the first request. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const programs = await findPrograms()
  if (programs === undefined) {
    project.provide('newDatabases', null)
    return undefined
  }
  let server: Promise<Postgres> | undefined
  const databaseServer = createServer((_request, response) => {
    server ??= startPostgres(programs)
    server
      .then((postgres) => postgres.database())
      .then(
        (address) => response.end(address),
        (error: unknown) => response.writeHead(500).end(String(error)),
      )
  })
  project.provide('newDatabases', `http://127.0.0.1:${await listen(databaseServer)}`)
  return async () => {
    databaseServer.close()
    databaseServer.closeAllConnections()
    // If it did not start, the tests that requested a database have failed.
    const started = await server?.catch(() => undefined)
    await started?.[Symbol.asyncDispose]()
  }
}

/** Folder of the server programs: the newest version in Debian's location. */
async function findPrograms(): Promise<string | undefined> {
  const base = '/usr/lib/postgresql'
  const versions = existsSync(base) ? await readdir(base) : []
  return versions
    .toSorted((one, other) => Number(other) - Number(one))
    .map((version) => join(base, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')))
}
