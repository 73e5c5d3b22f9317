import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { subtitleTranslate } from '../../tools/subtitle-translate/contract.ts'
import { startModelServer, type ModelServer } from '../engines/language-model/model-server.ts'
import { srtOf } from '../subtitle-translate/studio.ts'
import { translating } from '../subtitle-translate/translator.ts'
import { openStudio, type RealAgent, type Studio } from './real-agent.ts'

// Subtitles of an agent's workspace are translated there, by the model that the settings name in one line.

let studio: Studio
let model: ModelServer

beforeAll(async () => {
  studio = await openStudio()
  model = await startModelServer(translating())
  await mkdir(studio.dataDir, { recursive: true })
  const settings = { language_model: `${model.origin}/v1#small` }
  await writeFile(join(studio.dataDir, 'reelwright.config.json'), JSON.stringify(settings))
  for (const name of ['talk.srt', 'vlog.srt'])
    await writeFile(
      join(studio.workspace, name),
      srtOf(['We were on the way', 'to the station.', 'It was late.']),
    )
})
afterAll(async () => {
  await studio[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

async function ended(agent: RealAgent, name: string, args: object) {
  let answer = await agent.call(name, { ...args, wait_seconds: 45 })
  while (['queued', 'processing'].includes(String(answer.data['status'])))
    answer = await agent.call('get_task', { task_id: answer.data['task_id'], wait_seconds: 45 })
  return answer
}

test.each(subtitleTranslate.examples)('example: $title', async ({ input }) => {
  await using agent = await studio.agent('modern')
  const { data, isError } = await ended(agent, 'subtitle_translate', input)
  expect([isError, data['status']]).toEqual([false, 'completed'])
  const [file] = data['files'] as { path: string; role: string }[]
  expect(file?.role).toBe('subtitle')
  const text = await readFile(file?.path ?? '', 'utf8')
  expect(text).toContain('译文')
  expect(text.includes('Style: Default original')).toBe(input['lingual_type'] === 'bilingual')
})

test('translate-subtitles: its calls work as they stand', async () => {
  await using agent = await studio.agent('modern')
  await studio.clip('testsrc2=size=320x180:rate=25', 'talk.mp4', 1)
  const args = { file: 'talk.srt', from: 'English', to: 'Chinese', video: 'talk.mp4' }
  const { messages } = await agent.client.getPrompt({ name: 'translate-subtitles', arguments: args })
  const [message] = messages
  const text = message?.content.type === 'text' ? message.content.text : ''
  const calls = [...text.matchAll(/```call\n\s*(\w+) (\{.*\})\n/g)]
  expect(calls.map(([, name]) => name)).toEqual(['inspect_file', 'subtitle_translate'])
  for (const [, name = '', given = '{}'] of calls) {
    const call = JSON.parse(given) as object
    const { isError, text: said } =
      name === 'inspect_file' ? await agent.call(name, { ...call }) : await ended(agent, name, call)
    expect([said, isError]).toEqual([said, false])
  }
  expect(await readFile(join(studio.workspace, 'subtitles/translated.srt'), 'utf8')).toContain('译文')
})

test('the same task of two languages alike is refused with the way out', async () => {
  await using agent = await studio.agent('modern')
  const { isError, text } = await agent.call('subtitle_translate', {
    ...{ file_id: 'talk.srt', language: 'zh-CN', translate_language: 'zh-CHS' },
  })
  expect(isError).toBe(true)
  expect(text).toContain('translate_language: is what the subtitles are in: zh-CN')
  expect(text).toContain('zh-CHS and zh-CHT are two scripts of Chinese')
})
