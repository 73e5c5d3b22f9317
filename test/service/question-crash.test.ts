import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/db/open.ts'
import { openDiskStore } from '../../src/files/disk.ts'
import { hasPostgres, newDatabase } from '../postgres.ts'
import { askingClient } from '../questions/asking-client.ts'
import { sampleCases } from '../soak-size.ts'
import { checkInvariants } from './invariants.ts'
import { createServiceSequence } from './killable-service.ts'

/** Every durable step of a task that asks twice, and of its answers. */
const durableSteps = [
  'questions.stored',
  'move.queued.before-commit',
  'move.queued.after-commit',
  'questions.answered.before-commit',
  'questions.answered.after-commit',
  'execute.staged',
  'execute.finished',
]

const type = 'test_copy'
const databases = [
  { name: 'SQLite', isHere: true },
  { name: 'PostgreSQL (Debian package postgresql)', isHere: hasPostgres },
]

describe.each(databases)(
  'kill -9 of the service while a task asks its agent, on $name',
  ({ name, isHere }) => {
    let database: { readonly url: string } | undefined
    const services = createServiceSequence(async () => {
      if (name !== 'SQLite') database = { url: await newDatabase() }
      return database ? { database } : {}
    })

    test.skipIf(!isHere).for(sampleCases(durableSteps, 2))(
      'at %s loses no answer and asks nothing twice',
      async (point) => {
        const first = await services.ensureRunning()
        let client = askingClient(first)
        const { data: file } = await client.upload('a.txt', `asked at ${point}`)
        await first.arm(point)
        const creation = { file_id: file.file_id, behaviour: 'ask twice' }
        const key = { 'idempotency-key': point }
        let id = await client.create(type, creation, key).then(
          ({ data }) => data.task_id,
          () => undefined,
        )
        const asked: string[] = []
        const ids = new Set<string>()
        for (;;) {
          try {
            // A repeated creation returns the task that an interrupted one made.
            id ??= (await client.create(type, creation, key)).data.task_id
            const { data: task } = await client.waiting(type, id)
            if (task.questions_open === undefined) {
              expect(task).toMatchObject({ status: 'completed' })
              break
            }
            const { questions } = (await client.questions(id)).data
            expect(questions).toHaveLength(1)
            const [{ question_id, input } = { question_id: '', input: {} }] = questions
            asked.push(JSON.stringify(input))
            ids.add(question_id)
            const answer = { summary: 'Two numbers.', terms: [] }
            const { data } = await client.answer(id, [{ question_id, answer }])
            // An answer that was stored before the kill is not taken again.
            expect(data.answers.map(({ outcome }) => outcome)).toEqual(['accepted'])
          } catch (error) {
            if (!(error instanceof TypeError)) throw error
            await first.exited
            client = askingClient(await services.ensureRunning())
          }
        }
        expect(first.process.signalCode, 'the failpoint was reached').toBe('SIGKILL')
        expect(new Set(asked)).toEqual(new Set(['{"lines":["One","Two"]}', '{"lines":["Two numbers."]}']))
        expect(ids.size).toBe(2)
        const db = await openDatabase(database ?? { path: join(services.dataDir, 'reelwright.sqlite') })
        const left = await db.selectFrom('questions').select('id').where('task_id', '=', id).execute()
        expect(left, 'questions are removed at the end').toEqual([])
        await checkInvariants(db, await openDiskStore(join(services.dataDir, 'files')))
        await db.destroy()
      },
    )
  },
)
