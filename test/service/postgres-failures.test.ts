import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fillPath, routes } from '../../src/contract/routes.ts'
import type { TaskCreated } from '../../src/contract/task.ts'
import { hasPostgres, newDatabase } from '../postgres.ts'
import { sampleCases } from '../soak-size.ts'
import { api, pollUntil, type Api } from './api.ts'
import { startTestService } from './in-process.ts'
import { checkInvariants } from './invariants.ts'

/** Runs statements on a connection of its own until the end of the test. */
async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** Ways in which a statement fails: SQL of a trigger, and the text of the error that clients see. */
const failures = {
  'no space': [
    "raise exception 'could not extend file' using errcode = '53100'",
    'no space is left for the database',
  ],
  'a read-only server': ["raise exception 'read-only' using errcode = '25006'", 'the database is read-only'],
  'a lost connection': ['perform pg_terminate_backend(pg_backend_pid())', 'the database is not reachable'],
} as const

interface Failure {
  readonly kind: keyof typeof failures
  /** Statement, table and condition of the trigger, such as `insert on tasks`. */
  readonly at: string
  /** Number of statements that fail. */
  readonly times: number
}

/** Lets statements fail. A trigger at the end of the transaction fails its commit. The count survives the rollback. */
async function failStatements(client: pg.Client, { kind, at, times }: Failure): Promise<void> {
  const isCommit = at.startsWith('commit of ')
  const event = at.replace('commit of ', '')
  const [clause = '', condition] = event.split(' when ')
  await client.query(`
    create sequence failures;
    create function fail() returns trigger language plpgsql as $$ begin
      if nextval('failures') <= ${times} then ${failures[kind][0]}; end if;
      return new;
    end $$;
    create ${isCommit ? 'constraint trigger' : 'trigger'} failing ${isCommit ? 'after' : 'before'} ${clause}
      ${isCommit ? 'deferrable initially deferred' : ''} for each row
      ${condition === undefined ? '' : `when (${condition})`} execute function fail();`)
}

/** Number of statements that reached the trigger. */
async function failureCount(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    'select case when is_called then last_value else 0 end::int as count from failures',
  )
  return rows[0]?.count ?? 0
}

/** Creates a task with a key that makes repetition safe, until it succeeds. Returns the id and the errors before. */
async function createRepeatedly(calls: Api, fileId: string) {
  const errors: string[] = []
  const create = () =>
    calls.send<TaskCreated>(fillPath(routes.createTask.path, { task_type: 'test_copy' }), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
      body: JSON.stringify({ file_id: fileId }),
    })
  const { data } = await pollUntil(create, ({ code, msg }) => {
    if (code !== 200) errors.push(`${code} ${msg}`)
    return code === 200
  })
  return { id: data.task_id, errors }
}

const kinds = Object.keys(failures) as (keyof typeof failures)[]
const submitSteps = [
  ...['insert on tasks', 'insert on ledger', 'insert on task_files', 'insert on events'],
  ...['update on accounts', 'insert on idempotency_keys', 'commit of insert on tasks'],
]
/** Steps of the execution with the number of statements that fail: more than a task has attempts, where that is fast. */
const executionSteps: readonly (readonly [kind: keyof typeof failures, at: string, times: number])[] = [
  ['no space', `update on tasks when old.status = 'queued' and new.status = 'processing'`, 1],
  ...kinds.map((kind) => [kind, `commit of update on tasks when new.status = 'completed'`, 3] as const),
  ['no space', `insert on files when new.name like 'copy%'`, 3],
  ['a lost connection', `insert on events when new.task like '%completed%'`, 3],
]
/** Each failure at each step. Every third case or so has each step, and each failure. */
const cases = (steps: readonly string[]) => steps.flatMap((at) => kinds.map((kind) => [kind, at] as const))

describe.skipIf(!hasPostgres)('PostgreSQL (Debian package postgresql)', () => {
  /** A service on a new database, an account with 5 credits and a stored file. */
  async function startOn() {
    const url = await newDatabase()
    const service = await startTestService({ database: { url } })
    onTestFinished(() => service[Symbol.asyncDispose]())
    const calls = api(await service.account(5))
    const { data: file } = await calls.upload('a.txt', 'bytes')
    const { db, files } = service.running.service
    return {
      calls,
      fileId: file.file_id,
      client: await connectTo(url),
      check: () => checkInvariants(db, files),
    }
  }

  test.for(sampleCases(cases(submitSteps), 4))(
    'with %s at %s of a creation charges once',
    async ([kind, at]) => {
      const { calls, fileId, client, check } = await startOn()
      await failStatements(client, { kind, at, times: 1 })
      const { id, errors } = await createRepeatedly(calls, fileId)
      expect(errors).toEqual([`6401 ${failures[kind][1]}`])
      expect((await calls.ended('test_copy', id)).data.status).toBe('completed')
      expect(await calls.balance()).toBe(4)
      await check()
    },
  )

  test.for(sampleCases(executionSteps, 3))(
    'with %s at %s of a task loses and repeats no work',
    async ([kind, at, times]) => {
      const { calls, fileId, client, check } = await startOn()
      await failStatements(client, { kind, at, times })
      const { data } = await calls.create('test_copy', { file_id: fileId })
      const ended = await calls.ended('test_copy', data.task_id)
      expect(ended.data).toMatchObject({ status: 'completed' })
      expect(await failureCount(client)).toBe(times + 1)
      expect((await client.query('select attempts::int from tasks')).rows).toEqual([{ attempts: 0 }])
      expect(await calls.balance()).toBe(4)
      await check()
    },
  )
})
