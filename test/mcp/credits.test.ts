import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountBalance } from '../../src/accounts/ledger.ts'
import { operations } from '../../tools/index.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { sampleCases } from '../soak-size.ts'
import { type AgentSession, startAgentSession } from './agent-session.ts'
import { eras } from './stdio-client.ts'

let service: TestService
let agentSession: AgentSession
beforeAll(async () => {
  service = await startTestService({ operations })
  agentSession = await startAgentSession()
  await agentSession.createClip('color=red:s=64x64:r=1', 'long.mp4', 61)
})
afterAll(async () => {
  await agentSession[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

test('a task above the balance is rejected with price and balance, and nothing is charged', async () => {
  const account = await service.account(1)
  const { db } = service.running.service
  const environment = { REELWRIGHT_BASE_URL: account.baseUrl, REELWRIGHT_API_KEY: account.apiKey }
  for (const era of sampleCases(eras, 1)) {
    await using agent = await agentSession.connect(era, environment)
    const clip = { file_id: 'long.mp4' }
    const rejection = await agent.call('video_split_screen', { clips: [clip, clip] })
    expect(rejection.isError).toBe(true)
    expect(rejection.text).toMatch(
      /^6202: this task costs 2 credits, and the account has 1\. Fix: .*shorter.* Retryable: no$/,
    )
    expect((await agent.call('list_tasks')).data).toMatchObject({ total: 0 })
    expect(await accountBalance(db, account.id)).toBe(1)
  }
})

test('a task above confirm_above_credits is priced by the service, and does not start if no user can be asked', async () => {
  const account = await service.account(5)
  const { db } = service.running.service
  await using agent = await agentSession.connect('modern', {
    REELWRIGHT_BASE_URL: account.baseUrl,
    REELWRIGHT_API_KEY: account.apiKey,
    REELWRIGHT_CONFIRM_ABOVE_CREDITS: '1',
  })
  const clip = { file_id: 'long.mp4' }
  const priced = await agent.call('video_split_screen', { clips: [clip, clip] })
  expect(priced.data).toMatchObject({ status: 'unconfirmed', price_credits: 2 })
  expect(await accountBalance(db, account.id)).toBe(5)
  const short = { ...clip, end_time_ms: 1000 }
  const started = await agent.call('video_split_screen', {
    ...{ clips: [short, clip], quality: '720p', wait_seconds: 0 },
  })
  expect(started.data).toMatchObject({ task_id: expect.any(String) })
  expect(await accountBalance(db, account.id)).toBe(4)
})
