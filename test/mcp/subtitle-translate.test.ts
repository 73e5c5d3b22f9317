import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { subtitleTranslate } from '../../tools/subtitle-translate/contract.ts'
import { readDaemonRecord } from '../../src/daemon/record.ts'
import { identifyProcess } from '../../src/platform/process-identity.ts'
import { startModelServer, type ModelServer } from '../engines/language-model/model-server.ts'
import { pollUntil } from '../service/api.ts'
import { srtOf } from '../subtitle-translate/translation-service.ts'
import { translatingModel } from '../subtitle-translate/translator.ts'
import { startAgentSession, type ConnectedAgent, type AgentSession } from './agent-session.ts'
import { promptCalls } from './call-until-done.ts'

// Translates subtitles in the workspace, with the model from one line of the settings.

let agentSession: AgentSession
let model: ModelServer
let agent: ConnectedAgent

beforeAll(async () => {
  agentSession = await startAgentSession()
  model = await startModelServer(translatingModel())
  await mkdir(agentSession.dataDir, { recursive: true })
  await writeFile(settingsFile(), settings('language_model'))
  agent = await agentSession.connect('modern')
  for (const name of ['talk.srt', 'vlog.srt'])
    await writeFile(
      join(agentSession.workspace, name),
      srtOf(['We were on the way', 'to the station.', 'It was late.']),
    )
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await agentSession[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

const settingsFile = () => join(agentSession.dataDir, 'reelwright.config.json')
const settings = (name: string) => JSON.stringify({ [name]: `${model.origin}/v1#small` })

async function callUntilEnded(name: string, args: object) {
  let answer = await agent.call(name, { ...args, wait_seconds: 45 })
  while (['queued', 'processing'].includes(String(answer.data['status'])))
    answer = await agent.call('get_task', { task_id: answer.data['task_id'], wait_seconds: 45 })
  return answer
}

test('with the model none, the error names the setting; setting it makes the next call of the session work', async () => {
  const waitForServiceExit = async () => {
    const record = await readDaemonRecord(agentSession.dataDir)
    if (record)
      await pollUntil(
        () => identifyProcess(record.pid),
        (identity) => identity === null,
      )
  }
  await writeFile(settingsFile(), JSON.stringify({ language_model: 'none' }))
  await waitForServiceExit()
  const request = { file_id: 'talk.srt', language: 'en-US', translate_language: 'zh-CN' }
  const { isError, text } = await agent.call('subtitle_translate', request)
  expect([isError, text]).toEqual([true, expect.stringMatching(/^6401: no language model is set/)])
  expect(text).toMatch(/ Retryable: no$/)
  // The service does not know where its caller is; the MCP server names the file, as both are on this machine.
  const [, file = '', example = '{}'] = / in (\S+), such as (\{.*?\})/.exec(text) ?? []
  expect(file).toBe(settingsFile())
  const [name = ''] = Object.keys(JSON.parse(example) as object)

  await writeFile(file, settings(name))
  await waitForServiceExit()
  const { data } = await callUntilEnded('subtitle_translate', request)
  expect(data['status']).toBe('completed')
  const [translated] = data['files'] as { path: string }[]
  expect(await readFile(translated?.path ?? '', 'utf8')).toContain('译文')
})

test.each(subtitleTranslate.examples)('example: $title', async ({ input }) => {
  const { data, isError } = await callUntilEnded('subtitle_translate', input)
  expect([isError, data['status']]).toEqual([false, 'completed'])
  const [file] = data['files'] as { path: string; role: string }[]
  expect(file?.role).toBe('subtitle')
  const text = await readFile(file?.path ?? '', 'utf8')
  expect(text).toContain('译文')
  expect(text.includes('Style: Default original')).toBe(input['lingual_type'] === 'bilingual')
})

test('translate-subtitles: the calls of the prompt work unchanged', async () => {
  await agentSession.createClip('testsrc2=s=160x90:r=10', 'talk.mp4', 1)
  const args = { file: 'talk.srt', from: 'English', to: 'Chinese', video: 'talk.mp4' }
  const calls = await promptCalls(agent, 'translate-subtitles', args)
  expect(calls.map(([name]) => name)).toEqual(['inspect_file', 'subtitle_translate'])
  for (const [name, call] of calls) {
    const { isError, text: response } =
      name === 'inspect_file' ? await agent.call(name, { ...call }) : await callUntilEnded(name, call)
    expect([response, isError]).toEqual([response, false])
  }
  expect(await readFile(join(agentSession.workspace, 'subtitles/translated.srt'), 'utf8')).toContain('译文')
})

test('a request with the same source and target language is rejected with a fix', async () => {
  const { isError, text } = await agent.call('subtitle_translate', {
    ...{ file_id: 'talk.srt', language: 'zh-CN', translate_language: 'zh-CHS' },
  })
  expect(isError).toBe(true)
  expect(text).toContain('translate_language: is the language of the subtitles: zh-CN')
  expect(text).toContain('zh-CHS and zh-CHT are two scripts of Chinese')
})

test('a file of another kind is rejected with the two supported formats', async () => {
  await writeFile(join(agentSession.workspace, 'x.wav'), 'no sound')
  const request = { file_id: 'x.wav', language: 'en-US', translate_language: 'zh-CN' }
  const { isError, text } = await agent.call('subtitle_translate', request)
  expect([isError, text]).toEqual([true, expect.stringMatching(/^6014: .* Fix: Supported: \.srt \.ass\W/)])
})
