import { afterAll, beforeAll, describe } from 'vitest'
import { hasPostgres, newDatabase } from '../postgres.ts'
import { startTestService, type TestService, type TestServiceOptions } from '../service/in-process.ts'
import { soakSize } from '../soak-size.ts'

/** A suite that receives a function that starts a service on a new database. */
type Suite = (start: (options?: TestServiceOptions) => Promise<TestService>) => void

/** Runs a suite with a function that starts a service on a new database, on SQLite and on PostgreSQL. */
export function onNewDatabases(name: string, suite: Suite): void {
  describe(`${name} on SQLite`, () => suite(startTestService))
  describe.skipIf(!hasPostgres)(`${name} on PostgreSQL (Debian package postgresql)`, () => {
    suite(async (options) => startTestService({ ...options, database: { url: await newDatabase() } }))
  })
}

/** Like `onNewDatabases`, for behaviour without SQL of its own: on PostgreSQL only with `npm run test:soak`. */
export const onNewMainDatabase: (name: string, suite: Suite) => void = soakSize(
  (name, suite) => describe(`${name} on SQLite`, () => suite(startTestService)),
  onNewDatabases,
)

/** Runs a suite against one service on SQLite and against one on PostgreSQL; tests use accounts of their own. */
export function onDatabases(
  name: string,
  suite: (service: () => TestService) => void,
  options: TestServiceOptions = {},
): void {
  onNewDatabases(name, (start) => withService(() => start(options), suite))
}

/** Like `onDatabases`, for behaviour without SQL of its own: on PostgreSQL only with `npm run test:soak`. */
export function onMainDatabase(
  name: string,
  suite: (service: () => TestService) => void,
  options: TestServiceOptions = {},
): void {
  onNewMainDatabase(name, (start) => withService(() => start(options), suite))
}

/** Runs a suite against one service, for behaviour that does not depend on the database. */
export function onOneDatabase(suite: (service: () => TestService) => void): void {
  withService(() => startTestService(), suite)
}

function withService(start: () => Promise<TestService>, suite: (service: () => TestService) => void): void {
  let service: TestService
  beforeAll(async () => {
    service = await start()
  })
  afterAll(() => service[Symbol.asyncDispose]())
  suite(() => service)
}
