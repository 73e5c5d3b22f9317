import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startModelServer } from '../engines/language-model/model-server.ts'
import { hangs } from '../engines/services/fake-service.ts'
import { api, pollUntil } from '../service/api.ts'
import { temporaryDataFolder, startKillableService } from '../service/killable-service.ts'
import { srtOf } from './translation-service.ts'
import { fakeChinese, requestedLines, correctAnswer, translatingModel } from './translator.ts'

const type = 'subtitle_translate'

test('a killed task requests only the remaining lines; a stopped one requests nothing', async () => {
  const dataDir = await temporaryDataFolder()
  let answers = 0
  // One request at a time: the model answers two batches after the summary, then hangs.
  const hangsAfterThree = translatingModel((requested) => {
    answers += 1
    return answers <= 3 ? { lines: correctAnswer(requested) } : hangs()
  })
  await using model = await startModelServer(hangsAfterThree)
  const address = `${model.origin}/v1`
  const services = { language_model: { address, model: 'small', context_tokens: 8192, concurrency: 1 } }
  const firstService = await startKillableService(dataDir, { services })
  const before = await api(firstService).balance()
  const lines = Array.from({ length: 200 }, (_, at) => `Line ${at + 1000} is said`)
  const file_id = (await api(firstService).upload('long.srt', srtOf(lines))).data.file_id
  const body = { file_id, language: 'en-US', translate_language: 'zh-CN', line_mode: 'keep' }
  const { data: task } = await api(firstService).create(type, body)
  await pollUntil(
    () => Promise.resolve(answers),
    (count) => count > 3,
  )
  await firstService.kill('SIGKILL')
  const requested = model.asked.length
  expect(await readdir(join(dataDir, 'steps', task.task_id))).toHaveLength(4)

  model.says = translatingModel()
  const next = await startKillableService(dataDir, { services })
  const { data } = await api(next).ended(type, task.task_id)
  expect(data).toMatchObject({ status: 'completed', output_result: { untranslated_lines: 0 } })
  expect(await api(next).balance()).toBe(before - Math.ceil(lines.join('').length / 1000))
  const again = model.asked.slice(requested).flatMap((question) => requestedLines(question) ?? [])
  const first = model.asked.slice(0, requested - 1).flatMap((question) => requestedLines(question) ?? [])
  expect([...first, ...again].map(({ id }) => id)).toEqual(lines.map((_, at) => at + 1))
  const { subtitle_file_id } = data.output_result as { subtitle_file_id: string }
  const text = Buffer.from(await api(next).download(subtitle_file_id)).toString()
  expect(lines.filter((line) => !text.includes(`\n${fakeChinese(line)}\n`))).toEqual([])

  answers = 3
  model.says = hangsAfterThree
  const { data: other } = await api(next).create(type, { ...body, line_mode: 'resegment' })
  const requestCount = model.heard.length
  await model.hears(requestCount + 1)
  const { data: stopped } = await api(next).stop(other.task_id)
  expect(stopped.status).toBe('failed')
  expect(await api(next).balance()).toBe(before - Math.ceil(lines.join('').length / 1000))
  // Its worker runs another task; nothing was requested for the stopped one.
  const known = model.asked.length
  model.says = translatingModel()
  const another = (await api(next).upload('short.srt', srtOf(['Something else']))).data.file_id
  const { data: short } = await api(next).create(type, { ...body, file_id: another })
  expect((await api(next).ended(type, short.task_id)).data.status).toBe('completed')
  const since = model.asked.slice(known).flatMap((question) => requestedLines(question) ?? [])
  expect(since.map(({ text: said }) => said)).toEqual(['Something else'])
})
