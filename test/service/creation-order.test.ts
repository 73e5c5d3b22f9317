import { expect, test } from 'vitest'
import { grantCredits } from '../../src/accounts/ledger.ts'
import { MediaError } from '../../src/contract/errors.ts'
import { api } from './api.ts'
import { fakeModule } from './fake-operation.ts'
import { startTestService } from './in-process.ts'

type Requirements = Awaited<ReturnType<typeof fakeModule.requirements>>['requirements']

/** A requirement that a test service never fulfils. */
const missingModel = { kind: 'language-model' } as const

/** A service whose only operation has other requirements. */
const startWith = (requirements: Requirements) =>
  startTestService({ operations: [{ ...fakeModule, requirements: async () => ({ requirements }) }] })

test('a missing requirement of every request is reported before an unknown file', async () => {
  await using service = await startWith(() => [missingModel])
  const calls = api(await service.account(1))
  expect(await calls.create('test_copy', { file_id: 'unknown' })).toMatchObject({
    ...{ code: 6401, msg: expect.stringContaining('language model') as string },
  })
})

test('a request is not rejected for requirements of other requests', async () => {
  await using service = await startWith((input) => (input ? [] : [missingModel]))
  const calls = api(await service.account(1))
  const { data: file } = await calls.upload('a.txt', 'text')
  expect((await calls.create('test_copy', { file_id: file.file_id })).code).toBe(200)
})

test('an exception in requirements is an internal error', async () => {
  let calledTimes = 0
  await using service = await startWith(() => {
    calledTimes += 1
    if (calledTimes === 1) throw new TypeError('a bug')
    return []
  })
  const calls = api(await service.account(1))
  const { data: file } = await calls.upload('a.txt', 'text')
  expect((await calls.create('test_copy', { file_id: file.file_id })).code).toBe(6500)
  expect((await calls.create('test_copy', { file_id: file.file_id })).code).toBe(200)
})

test('the first error in the order of docs/contract.md is returned', async () => {
  const missing = { engine: true, limit: true, model: true }
  await using service = await startTestService({
    operations: [
      {
        ...fakeModule,
        plan: async () => ({
          plan() {
            if (missing.limit) throw new MediaError(6016, 'over a limit')
            return { credits: 1, seconds: 1 }
          },
        }),
        requirements: async () => ({
          requirements(_input, files) {
            return (files ? missing.model : missing.engine) ? [missingModel] : []
          },
        }),
      },
    ],
  })
  const account = await service.account(0)
  const calls = api(account)
  const upload = async (name: string) => (await calls.upload(name, 'no media')).data.file_id
  const create = async (body: unknown) => (await calls.create('test_copy', body)).code
  const [picture, video, text] = [await upload('a.png'), await upload('a.mp4'), await upload('a.txt')]

  expect((await api({ ...account, apiKey: 'wrong' }).create('test_copy', {})).code).toBe(6502)
  expect(await create({ behaviour: 'dance' })).toBe(6013)
  expect(await create({ behaviour: 'dance', file_id: 'unknown' })).toBe(6016)
  expect(await create({ file_id: 'unknown' }), 'an engine that every request needs').toBe(6401)
  missing.engine = false
  expect(await create({ file_id: 'unknown' })).toBe(6004)
  expect(await create({ file_id: picture })).toBe(6014)
  expect(await create({ file_id: video })).toBe(6017)
  expect(await create({ file_id: text }), 'a limit').toBe(6016)
  missing.limit = false
  expect(await create({ file_id: text }), 'a model that this request needs').toBe(6401)
  missing.model = false
  expect(await create({ file_id: text })).toBe(6202)
  const { db } = service.running.service
  expect(await db.selectFrom('tasks').selectAll().execute()).toEqual([])
  await grantCredits(db, { accountId: account.id, amount: 1, now: Date.now() })
  expect(await create({ file_id: text })).toBe(200)
})
