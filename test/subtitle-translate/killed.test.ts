import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startModelServer } from '../engines/language-model/model-server.ts'
import { hangs } from '../engines/services/fake-service.ts'
import { api, pollUntil } from '../service/api.ts'
import { temporaryDataFolder, startKillableService } from '../service/killable-service.ts'
import { srtOf } from './translation-service.ts'
import { inChinese, linesAsked, correctAnswer, translatingModel } from './translator.ts'

const type = 'subtitle_translate'

test('asks only for the remaining lines after it was killed, and for none after it was stopped', async () => {
  const dataDir = await temporaryDataFolder()
  let answers = 0
  // One at a time: a summary and three questions are answered, then the model thinks.
  const thinks = translatingModel((asked) => {
    answers += 1
    return answers <= 3 ? { lines: correctAnswer(asked) } : hangs()
  })
  await using model = await startModelServer(thinks)
  const address = `${model.origin}/v1`
  const services = { language_model: { address, model: 'small', context_tokens: 8192, concurrency: 1 } }
  const victim = await startKillableService(dataDir, { services })
  const before = await api(victim).balance()
  const lines = Array.from({ length: 200 }, (_, at) => `Line ${at + 1000} is said`)
  const file_id = (await api(victim).upload('long.srt', srtOf(lines))).data.file_id
  const body = { file_id, language: 'en-US', translate_language: 'zh-CN', line_mode: 'keep' }
  const { data: task } = await api(victim).create(type, body)
  await pollUntil(
    () => Promise.resolve(answers),
    (count) => count > 3,
  )
  await victim.kill('SIGKILL')
  const asked = model.asked.length
  expect(await readdir(join(dataDir, 'steps', task.task_id))).toHaveLength(4)

  model.says = translatingModel()
  const next = await startKillableService(dataDir, { services })
  const { data } = await api(next).ended(type, task.task_id)
  expect(data).toMatchObject({ status: 'completed', output_result: { untranslated_lines: 0 } })
  expect(await api(next).balance()).toBe(before - Math.ceil(lines.join('').length / 1000))
  const again = model.asked.slice(asked).flatMap((question) => linesAsked(question) ?? [])
  const first = model.asked.slice(0, asked - 1).flatMap((question) => linesAsked(question) ?? [])
  expect([...first, ...again].map(({ id }) => id)).toEqual(lines.map((_, at) => at + 1))
  const { subtitle_file_id } = data.output_result as { subtitle_file_id: string }
  const text = Buffer.from(await api(next).download(subtitle_file_id)).toString()
  expect(lines.filter((line) => !text.includes(`\n${inChinese(line)}\n`))).toEqual([])

  answers = 3
  model.says = thinks
  const { data: other } = await api(next).create(type, { ...body, line_mode: 'resegment' })
  const heard = model.heard.length
  await model.hears(heard + 1)
  const { data: stopped } = await api(next).stop(other.task_id)
  expect(stopped.status).toBe('failed')
  expect(await api(next).balance()).toBe(before - Math.ceil(lines.join('').length / 1000))
  // Its worker is at work for another one; of the stopped one nothing was asked meanwhile.
  const known = model.asked.length
  model.says = translatingModel()
  const another = (await api(next).upload('short.srt', srtOf(['Something else']))).data.file_id
  const { data: short } = await api(next).create(type, { ...body, file_id: another })
  expect((await api(next).ended(type, short.task_id)).data.status).toBe('completed')
  const since = model.asked.slice(known).flatMap((question) => linesAsked(question) ?? [])
  expect(since.map(({ text: said }) => said)).toEqual(['Something else'])
})
