import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TaskList } from '../../src/contract/task.ts'
import { findDaemon } from '../../src/daemon/find-or-start.ts'
import { manifest } from '../../src/engines/packs/manifest.ts'
import { configurePacks } from '../../src/engines/packs/resolve.ts'
import { audioLanguageDetect } from '../../tools/audio-language-detect/contract.ts'
import { operations } from '../../tools/index.ts'
import { audioLanguageDetect as table } from '../contract/audio-language-detect.ts'
import { wrongFields } from '../contract/laws.ts'
import { h264, generateMedia, picture, scratchFolder, testdata } from '../engines/ffmpeg/generate-media.ts'
import { hasSpeechFiles, pathOf } from '../engines/speech/recordings.ts'
import { callUntilDone } from '../mcp/call-until-done.ts'
import { startAgentSession, type AgentSession } from '../mcp/agent-session.ts'
import { api, type Api } from '../service/api.ts'
import { fakeModule } from '../service/fake-operation.ts'
import { startTestService } from '../service/in-process.ts'
import { writeFakeWhisper } from './fake-whisper.ts'

const folder = await scratchFolder()
const whisper = await writeFakeWhisper(folder)
const mirror = testdata('models')
const type = 'audio_language_detect'

/** Calls the operation over HTTP. Returns the response, successful or not. */
async function createDetection(calls: Api, name: string, path = pathOf('kennedy')) {
  const { data: file } = await calls.upload(name, new Uint8Array(await readFile(path)))
  return { ...(await calls.create(type, { file_id: file.file_id })) }
}

describe.skipIf(!hasSpeechFiles)('with the public test files (REELWRIGHT_TESTDATA)', () => {
  let agentSession: AgentSession

  beforeAll(async () => {
    agentSession = await startAgentSession()
    await mkdir(agentSession.dataDir, { recursive: true })
    const settings = { models_mirror: mirror, models: { whisper } }
    await writeFile(join(agentSession.dataDir, 'reelwright.config.json'), JSON.stringify(settings))
    const speech = ['-i', pathOf('kennedy')]
    await generateMedia(join(agentSession.workspace, 'interview.mp3'), speech)
    await generateMedia(join(agentSession.workspace, 'talk.mp4'), [
      ...picture(2),
      ...speech,
      ...h264,
      '-c:a',
      'aac',
    ])
    const agent = await agentSession.shared('modern')
    await agent.call('service_status')
  })
  afterAll(() => agentSession[Symbol.asyncDispose]())

  function expectDocumented(result: Readonly<Record<string, unknown>>): void {
    expect(wrongFields({ ...table.result, ...table.resultAdditions }, result)).toEqual([])
    const candidates = result['candidates'] as Readonly<Record<string, unknown>>[]
    expect(candidates).toHaveLength(5)
    for (const candidate of candidates)
      expect(wrongFields(table.resultParts['candidates.0'] ?? {}, candidate)).toEqual([])
  }

  test.each(audioLanguageDetect.examples)('example: $title', async ({ input }) => {
    const agent = await agentSession.shared('modern')
    const { data, isError } = await callUntilDone(agent, type, input)
    expect([isError, data['status']]).toEqual([false, 'completed'])
    expect(data['output']).toMatchObject({
      ...{ engine: 'whisper', detected_window_sec: expect.closeTo(11, 1) },
    })
    expectDocumented(data['output'] as Readonly<Record<string, unknown>>)
  })

  test('only the sound of a video with damaged pictures is read', async () => {
    // Noise in each packet of the picture.
    const codecs = ['-c:v', 'png', '-bsf:v', 'noise=amount=1', '-c:a', 'flac']
    const inputs = [...picture(2), '-i', pathOf('kennedy')]
    const path = await generateMedia(join(folder, 'damaged.mkv'), [...inputs, ...codecs])
    const calls = api((await findDaemon(agentSession.dataDir)) ?? expect.fail('the service is not running'))
    expect(await createDetection(calls, 'damaged.mkv', path)).toMatchObject({
      status: 200,
      data: { raw_language: 'zh', detected_window_sec: 11 },
    })
  })

  test('creation over HTTP returns the result and the task id', async () => {
    const calls = api((await findDaemon(agentSession.dataDir)) ?? expect.fail('the service is not running'))
    const before = await calls.balance()
    const { status, code, data } = await createDetection(calls, 'speech.flac')
    expect([status, code]).toEqual([200, 200])
    const { task_id, ...result } = { ...data }
    expectDocumented(result)
    expect((await calls.query(type, task_id)).data).toMatchObject({
      ...{ task_id, task_type: type, status: 'completed', output_result: result },
    })
    expect(await calls.balance()).toBe(before - 1)
  })

  test('returns 6401 without a model and 6402 while the service is busy; neither is charged', async () => {
    const packs = { folder: join(folder, 'none'), automatic: false, own: {}, manifest }
    configurePacks(packs)
    await using service = await startTestService({
      operations: [...operations, fakeModule],
      resultTimeoutMs: 300,
    })
    const calls = api(await service.account(9))
    const missing = await createDetection(calls, 'missing.flac')
    expect(missing).toMatchObject({ status: 500, code: 6401, data: null, retryable: false })
    expect(missing).toHaveProperty('hint', expect.stringMatching(/models pull whisper-tiny/))
    expect(await calls.balance()).toBe(9)

    configurePacks({ ...packs, automatic: true, mirror, own: { whisper } })
    const { data: text } = await calls.upload('a.txt', 'some bytes')
    const others: string[] = []
    for (let worker = 0; worker < 2; worker += 1) {
      const { data } = await calls.create('test_copy', { file_id: text.file_id, behaviour: 'wait' })
      others.push(data.task_id)
    }
    expect(await createDetection(calls, 'busy.flac')).toMatchObject({
      status: 500,
      code: 6402,
      retryable: true,
    })
    expect(await calls.balance()).toBe(9 - others.length)
    const { list } = (await calls.send<TaskList>('/task/list')).data
    expect(list[0]).toMatchObject({ status: 'cancelled', task_type_key: type })
    for (const id of others) await calls.stop(id)
  })
})
