import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { subtitleTranslate } from '../../tools/subtitle-translate/contract.ts'
import { readDaemonRecord } from '../../src/daemon/record.ts'
import { identifyProcess } from '../../src/platform/process-identity.ts'
import { startModelServer, type ModelServer } from '../engines/language-model/model-server.ts'
import { until } from '../service/api.ts'
import { srtOf } from '../subtitle-translate/translation-service.ts'
import { translatingModel } from '../subtitle-translate/translator.ts'
import { startAgentSession, type ConnectedAgent, type AgentSession } from './agent-session.ts'

// Subtitles of an agent's workspace are translated there, by the model that the settings name in one line.

let studio: AgentSession
let model: ModelServer
let agent: ConnectedAgent

beforeAll(async () => {
  studio = await startAgentSession()
  model = await startModelServer(translatingModel())
  await mkdir(studio.dataDir, { recursive: true })
  await writeFile(settingsFile(), settings('language_model'))
  agent = await studio.connect('modern')
  for (const name of ['talk.srt', 'vlog.srt'])
    await writeFile(
      join(studio.workspace, name),
      srtOf(['We were on the way', 'to the station.', 'It was late.']),
    )
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await studio[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

const settingsFile = () => join(studio.dataDir, 'reelwright.config.json')
const settings = (name: string) => JSON.stringify({ [name]: `${model.origin}/v1#small` })

async function ended(name: string, args: object) {
  let answer = await agent.call(name, { ...args, wait_seconds: 45 })
  while (['queued', 'processing'].includes(String(answer.data['status'])))
    answer = await agent.call('get_task', { task_id: answer.data['task_id'], wait_seconds: 45 })
  return answer
}

test('with nothing set the answer names the setting, and in the same session that one makes it work', async () => {
  const serviceLeft = async () => {
    const record = await readDaemonRecord(studio.dataDir)
    if (record)
      await until(
        () => identifyProcess(record.pid),
        (found) => found === null,
      )
  }
  await rm(settingsFile())
  await serviceLeft()
  const request = { file_id: 'talk.srt', language: 'en-US', translate_language: 'zh-CN' }
  const { isError, text } = await agent.call('subtitle_translate', request)
  expect([isError, text]).toEqual([true, expect.stringMatching(/^6401: no language model is set/)])
  expect(text).toMatch(/ Retryable: no$/)
  expect(text).not.toContain(studio.dataDir)
  const [, file = '', example = '{}'] = / in (\S+) of the data folder.* such as (\{.*?\})/.exec(text) ?? []
  const [name = ''] = Object.keys(JSON.parse(example) as object)

  await writeFile(join(studio.dataDir, file), settings(name))
  await serviceLeft()
  const { data } = await ended('subtitle_translate', request)
  expect(data['status']).toBe('completed')
  const [made] = data['files'] as { path: string }[]
  expect(await readFile(made?.path ?? '', 'utf8')).toContain('译文')
})

test.each(subtitleTranslate.examples)('example: $title', async ({ input }) => {
  const { data, isError } = await ended('subtitle_translate', input)
  expect([isError, data['status']]).toEqual([false, 'completed'])
  const [file] = data['files'] as { path: string; role: string }[]
  expect(file?.role).toBe('subtitle')
  const text = await readFile(file?.path ?? '', 'utf8')
  expect(text).toContain('译文')
  expect(text.includes('Style: Default original')).toBe(input['lingual_type'] === 'bilingual')
})

test('translate-subtitles: its calls work as they stand', async () => {
  await studio.createClip('testsrc2=size=320x180:rate=25', 'talk.mp4', 1)
  const args = { file: 'talk.srt', from: 'English', to: 'Chinese', video: 'talk.mp4' }
  const { messages } = await agent.client.getPrompt({ name: 'translate-subtitles', arguments: args })
  const [message] = messages
  const text = message?.content.type === 'text' ? message.content.text : ''
  const calls = [...text.matchAll(/```call\n\s*(\w+) (\{.*\})\n/g)]
  expect(calls.map(([, name]) => name)).toEqual(['inspect_file', 'subtitle_translate'])
  for (const [, name = '', given = '{}'] of calls) {
    const call = JSON.parse(given) as object
    const { isError, text: said } =
      name === 'inspect_file' ? await agent.call(name, { ...call }) : await ended(name, call)
    expect([said, isError]).toEqual([said, false])
  }
  expect(await readFile(join(studio.workspace, 'subtitles/translated.srt'), 'utf8')).toContain('译文')
})

test('the same task of two languages alike is refused with the way out', async () => {
  const { isError, text } = await agent.call('subtitle_translate', {
    ...{ file_id: 'talk.srt', language: 'zh-CN', translate_language: 'zh-CHS' },
  })
  expect(isError).toBe(true)
  expect(text).toContain('translate_language: is what the subtitles are in: zh-CN')
  expect(text).toContain('zh-CHS and zh-CHT are two scripts of Chinese')
})

test('a file of another kind is refused with the two formats that it takes', async () => {
  await writeFile(join(studio.workspace, 'x.wav'), 'no sound')
  const request = { file_id: 'x.wav', language: 'en-US', translate_language: 'zh-CN' }
  const { isError, text } = await agent.call('subtitle_translate', request)
  expect([isError, text]).toEqual([true, expect.stringMatching(/^6014: .* Fix: Supported: \.srt \.ass\W/)])
})
