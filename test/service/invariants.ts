import { expect } from 'vitest'
import { isTerminal, nextStates, type TaskRecord } from '../../src/contract/task.ts'
import type { Db, TaskRow } from '../../src/db/schema.ts'
import type { FileStore } from '../../src/files/store.ts'
import { operations } from '../../tools/index.ts'
import { synchronousModule } from './fake-operation.ts'

/** Checks the invariants of the database and the file store after any crash. Results may be missing when files were deleted. */
export async function checkInvariants(db: Db, files: FileStore, { deletions = false } = {}): Promise<void> {
  const tasks = await db.selectFrom('tasks').selectAll().execute()
  await checkCredits(db, tasks)
  await checkEvents(db, tasks)
  await checkFiles(db, files)
  await checkResults(db, tasks, deletions)
}

async function checkCredits(db: Db, tasks: readonly TaskRow[]): Promise<void> {
  const ledger = await db.selectFrom('ledger').selectAll().execute()
  const wasRefunded = (id: string): boolean =>
    ledger.some(({ task_id, kind }) => task_id === id && kind === 'refund')
  for (const account of await db.selectFrom('accounts').selectAll().execute()) {
    const entries = ledger.filter((entry) => entry.account_id === account.id)
    expect(
      entries.reduce((sum, entry) => sum + entry.amount, 0),
      'the balance is the sum of the ledger',
    ).toBe(account.balance)
    expect(account.balance).toBeGreaterThanOrEqual(0)
  }
  for (const task of tasks) {
    const amounts = (kind: string): number[] =>
      ledger.filter((entry) => entry.task_id === task.id && entry.kind === kind).map((entry) => entry.amount)
    const refunded = task.status === 'failed' || task.status === 'cancelled'
    // A free task has no ledger entries.
    const isPaid = task.credits > 0
    expect(amounts('hold'), 'credits are charged once').toEqual(isPaid ? [-task.credits] : [])
    expect(amounts('refund'), `a ${task.status} task`).toEqual(isPaid && refunded ? [task.credits] : [])
  }
  for (const key of await db.selectFrom('api_keys').selectAll().execute()) {
    const charged = tasks.filter(({ id, key_id }) => key_id === key.id && !wasRefunded(id))
    expect(
      charged.reduce((sum, { credits }) => sum + credits, 0),
      'the spent quota of a key is the sum of its unrefunded tasks',
    ).toBe(key.spent)
  }
  const known = new Set(tasks.map((task) => task.id))
  expect(ledger.filter((entry) => entry.task_id !== null && !known.has(entry.task_id))).toEqual([])
}

/** Task types without events. */
const quiet = new Set(
  [synchronousModule, ...operations].flatMap(({ operation: { name, synchronous } }) =>
    synchronous ? name : [],
  ),
)

async function checkEvents(db: Db, tasks: readonly TaskRow[]): Promise<void> {
  const events = await db.selectFrom('events').selectAll().orderBy('seq').execute()
  for (const account of await db.selectFrom('accounts').selectAll().execute()) {
    const numbers = events.filter((event) => event.account_id === account.id).map((event) => event.seq)
    expect(numbers, 'events are numbered without gaps').toEqual(
      Array.from({ length: account.event_seq }, (_, index) => index + 1),
    )
  }
  for (const task of tasks) {
    const records = events
      .filter((event) => event.task_id === task.id)
      .map((event) => JSON.parse(event.task) as TaskRecord)
    const states = records.map(({ status }) => status)
    if (quiet.has(task.type)) {
      expect(states, 'synchronous operations have no events').toEqual([])
      continue
    }
    expect(states[0]).toBe('queued')
    expect(states.at(-1), 'the last event has the current state').toBe(task.status)
    for (const [index, state] of states.slice(1).entries()) {
      const isAnswer = records[index]?.questions_open !== records[index + 1]?.questions_open
      if (!isAnswer || states[index] !== state) expect(nextStates[states[index] ?? state]).toContain(state)
    }
    expect(isTerminal(task.status)).toBe(task.finished_at !== null)
  }
}

/** Every file record and every part has its content. */
export async function checkFiles(db: Db, files: FileStore): Promise<void> {
  const rows = await db.selectFrom('files').selectAll().where('removed_at', 'is', null).execute()
  const charged = new Map<string, number>()
  for await (const { blake3, size } of files.list()) charged.set(blake3, size)
  for (const row of rows) expect(charged.get(row.blake3), `bytes of ${row.name}`).toBe(row.size)
  const parts = await db.selectFrom('upload_parts').select('upload_id').distinct().execute()
  const uploads = new Set<string>()
  for await (const id of files.listUploads()) uploads.add(id)
  for (const { upload_id: id } of parts) expect(uploads, 'parts that were acknowledged').toContain(id)
}

/** Only completed tasks have a result, and all do unless files were deleted. */
async function checkResults(db: Db, tasks: readonly TaskRow[], deletions: boolean): Promise<void> {
  const links = await db.selectFrom('task_files').selectAll().where('role', '=', 'output').execute()
  for (const task of tasks) {
    const outputs = links.filter((link) => link.task_id === task.id)
    const expected = task.status === 'completed' ? (deletions ? [0, 1] : [1]) : [0]
    expect(expected, `results of a ${task.status} task`).toContain(outputs.length)
  }
}
