import { expect, test } from 'vitest'
import { balanceOf } from '../../src/accounts/ledger.ts'
import { operations } from '../../tools/index.ts'
import { startTestService } from '../service/in-process.ts'
import { openStudio } from './real-agent.ts'
import { eras } from './stdio-client.ts'

test('work that costs more than the account has is refused with both figures, and nothing is charged', async () => {
  await using service = await startTestService({ operations })
  await using studio = await openStudio()
  await studio.clip('color=red:s=64x64:r=1', 'long.mp4', 61)
  const account = await service.account(1)
  const { db } = service.running.service
  const environment = { REELWRIGHT_BASE_URL: account.baseUrl, REELWRIGHT_API_KEY: account.apiKey }
  for (const era of eras) {
    await using agent = await studio.agent(era, environment)
    const clip = { file_id: 'long.mp4' }
    const refused = await agent.call('video_split_screen', { clips: [clip, clip] })
    expect(refused.isError).toBe(true)
    expect(refused.text).toMatch(
      /^6202: this task costs 2 credits, and the account has 1\. Fix: .*shorter.* Retryable: no$/,
    )
    expect((await agent.call('list_tasks')).data).toMatchObject({ total: 0 })
    expect(await balanceOf(db, account.id)).toBe(1)
  }
})
