import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { listen, startPostgres, type Postgres } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Each request to it makes an empty database and answers its address; null where PostgreSQL is not installed. */
    readonly newDatabases: string | null
  }
}

/** Lets all files of a project make databases on one server, which starts when the first one is asked for. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const programs = await findPrograms()
  if (programs === undefined) {
    project.provide('newDatabases', null)
    return undefined
  }
  let server: Promise<Postgres> | undefined
  const door = createServer((_request, response) => {
    server ??= startPostgres(programs)
    server
      .then((postgres) => postgres.database())
      .then(
        (address) => response.end(address),
        (error: unknown) => response.writeHead(500).end(String(error)),
      )
  })
  project.provide('newDatabases', `http://127.0.0.1:${await listen(door)}`)
  return async () => {
    door.close()
    door.closeAllConnections()
    // Where it did not start, the tests that asked for it have told.
    const started = await server?.catch(() => undefined)
    await started?.[Symbol.asyncDispose]()
  }
}

/** The folder of its programs: where Debian keeps those of each version, the newest. */
async function findPrograms(): Promise<string | undefined> {
  const base = '/usr/lib/postgresql'
  const versions = existsSync(base) ? await readdir(base) : []
  return versions
    .toSorted((one, other) => Number(other) - Number(one))
    .map((version) => join(base, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')))
}
