import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pollUntil } from '../service/api.ts'
import { srtOf } from '../subtitle-translate/translation-service.ts'
import { fakeChinese } from '../subtitle-translate/translator.ts'
import { balance, startAgentSession } from './agent-session.ts'
import { askedLines, translateRows } from './answering-agent.ts'

test('answers after the deadline are ignored: the task has failed and is refunded', async () => {
  await using late = await startAgentSession()
  await mkdir(late.dataDir)
  const settings = { question_timeout_hours: 0.0003 }
  await writeFile(join(late.dataDir, 'reelwright.config.json'), JSON.stringify(settings))
  await using agent = await late.connect('modern')
  const before = await balance(agent)
  const request = { file_id: 'talk.srt', language: 'en-US', translate_language: 'zh-CN', wait_seconds: 45 }
  await writeFile(join(late.workspace, 'talk.srt'), srtOf(['It was late.']))
  const first = await agent.call('subtitle_translate', request)
  const { task_id } = first.data
  const { data } = await pollUntil(
    () => agent.call('get_task', { task_id }),
    ({ data: task }) => task['status'] === 'failed',
  )
  expect(data['error']).toMatchObject({ code: 6402 })
  expect(await balance(agent)).toBe(before)
  const answers = askedLines(first).map((question) => translateRows(question, fakeChinese))
  expect((await agent.call('answer_questions', { task_id, answers })).data).toMatchObject({
    status: 'failed',
    answers: [{ outcome: 'ignored' }],
  })
})
