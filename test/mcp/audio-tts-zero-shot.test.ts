import { mkdir, stat, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audioTtsZeroShot } from '../../tools/audio-tts-zero-shot/contract.ts'
import {
  startFakeSpeechServices,
  type FakeSpeechServices,
} from '../audio-tts-zero-shot/fake-speech-services.ts'
import { generateMedia, testdata } from '../engines/ffmpeg/generate-media.ts'
import { fails } from '../engines/services/fake-service.ts'
import { hasSpeechFiles, pathOf } from '../engines/speech/recordings.ts'
import { sampleCases } from '../soak-size.ts'
import { promptCalls, callUntilDone } from './call-until-done.ts'
import { startAgentSession, type ConnectedAgent, type AgentSession } from './agent-session.ts'

// Speech synthesis in the voice of a recording in the workspace, with the services from the settings.

describe.skipIf(!hasSpeechFiles)('with the public test files (REELWRIGHT_TESTDATA)', () => {
  let agentSession: AgentSession
  let speechServices: FakeSpeechServices

  beforeAll(async () => {
    agentSession = await startAgentSession()
    speechServices = await startFakeSpeechServices()
    await mkdir(agentSession.dataDir, { recursive: true })
    const settings = {
      models_mirror: testdata('models'),
      voice_service: `gpt-sovits+${speechServices.voice.origin}`,
      transcription: `${speechServices.recogniser.origin}/v1#parrot`,
    }
    await writeFile(join(agentSession.dataDir, 'reelwright.config.json'), JSON.stringify(settings))
    for (const name of ['voice.wav', 'voice.mp3'])
      await generateMedia(join(agentSession.workspace, name), ['-i', pathOf('kennedy')])
  })
  afterAll(async () => {
    await agentSession[Symbol.asyncDispose]()
    await speechServices[Symbol.asyncDispose]()
  })

  const callTextToSpeech = (agent: ConnectedAgent, args: object) =>
    callUntilDone(agent, 'audio_tts_zero_shot', args)

  async function balance(agent: ConnectedAgent): Promise<number> {
    const { data } = await agent.call('service_status')
    return (data['service'] as { credits: { balance: number } }).credits.balance
  }

  test.each(sampleCases(audioTtsZeroShot.examples, 1))('example: $title', async ({ input }) => {
    const agent = await agentSession.shared('modern')
    const { data, isError } = await callTextToSpeech(agent, input)
    expect([isError, data['status']]).toEqual([false, 'completed'])
    const files = data['files'] as { path: string }[]
    const [speech = '', ...others] = files.map(({ path }) => extname(path))
    expect(speech).toBe(input['output_format'] === 'mp3' ? '.mp3' : '.wav')
    expect(others).toEqual(input['subtitle_format'] === undefined ? [] : ['.srt'])
    for (const { path } of files) expect((await stat(path)).size).toBeGreaterThan(20)
  })

  test('speak-in-voice: the calls of the prompt work unchanged', async () => {
    const agent = await agentSession.shared('modern')
    const calls = await promptCalls(agent, 'speak-in-voice', { text: 'Hello.', recording: 'voice.wav' })
    expect(calls.map(([name]) => name)).toEqual(['inspect_file', 'audio_tts_zero_shot'])
    const [[, inspectCall], [, words]] = calls as [(typeof calls)[0], (typeof calls)[0]]
    const { result } = await agent.call('inspect_file', { ...inspectCall })
    expect(result.content[1]).toMatchObject({ type: 'image' })
    const { isError, text } = await callTextToSpeech(agent, words)
    expect([text, isError]).toEqual([text, false])
    expect((await stat(join(agentSession.workspace, 'speech/first.wav'))).size).toBeGreaterThan(24_000)
  })

  test('a recogniser that rejects the request fails the task, and nothing is charged', async () => {
    const agent = await agentSession.shared('modern')
    const before = await balance(agent)
    const spoken = speechServices.requests.length
    speechServices.recogniser.replies.push(fails(401, { error: { message: 'no such key' } }))
    const request = { text: 'Never said.', text_lang: 'en-US', ref_file_id: 'voice.wav' }
    const { data } = await callTextToSpeech(agent, request)
    expect(data).toMatchObject({
      status: 'failed',
      error: {
        ...{ code: 6401, retryable: false, message: expect.stringContaining('asks for a key') },
        hint: expect.stringContaining('transcription_key'),
      },
    })
    expect(speechServices.requests).toHaveLength(spoken)
    expect(await balance(agent)).toBe(before)
    // With ref_text, no recognition is required.
    speechServices.recogniser.replies.push(fails(401), fails(401))
    const withRefText = await callTextToSpeech(agent, {
      ...request,
      ref_text: 'Ask what you can do for your country.',
    })
    expect(withRefText.data['status']).toBe('completed')
  })
})
