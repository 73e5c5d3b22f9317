import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audioTtsZeroShot } from '../../tools/audio-tts-zero-shot/contract.ts'
import {
  startFakeSpeechServices,
  type FakeSpeechServices,
} from '../audio-tts-zero-shot/fake-speech-services.ts'
import { readMidi } from '../piano/read-midi.ts'
import { generateMedia, testdata } from '../engines/ffmpeg/generate-media.ts'
import { fails } from '../engines/services/fake-service.ts'
import { hasSpeechFiles, pathOf } from '../engines/speech/recordings.ts'
import { firstSeconds, generatePiece } from '../piano/generated-pieces.ts'
import { florestan, record, writeWav } from '../piano/recordings.ts'
import { f1, scoreNotes } from '../piano/note-f1.ts'
import { sampleCases } from '../soak-size.ts'
import { streams } from '../video-split-screen/media.ts'
import { promptCalls, callUntilDone } from './call-until-done.ts'
import { balance, startAgentSession, type ConnectedAgent, type AgentSession } from './agent-session.ts'
import { parseToolResult } from './stdio-client.ts'

// Transcribes a recording in the workspace, and speaks in the voice of another one. The models are downloaded on first
// use, from a mirror; the services are those of the settings.

const mirror = testdata('models')
const piece = firstSeconds(generatePiece('voices', 31), 3)
const spokenExamples = sampleCases(audioTtsZeroShot.examples, 1)
let agentSession: AgentSession
let speechServices: FakeSpeechServices

beforeAll(async () => {
  agentSession = await startAgentSession()
  speechServices = await startFakeSpeechServices()
  const { workspace, dataDir } = agentSession
  await mkdir(dataDir, { recursive: true })
  const settings = {
    models_mirror: mirror,
    voice_service: `gpt-sovits+${speechServices.voice.origin}`,
    transcription: `${speechServices.recogniser.origin}/v1#parrot`,
  }
  await writeFile(join(dataDir, 'reelwright.config.json'), JSON.stringify(settings))
  if (florestan) await writeWav(join(workspace, 'piano.wav'), await record(piece, { soundFont: florestan }))
  const voices = new Set(['voice.wav', ...spokenExamples.map(({ input }) => String(input['ref_file_id']))])
  if (hasSpeechFiles)
    for (const name of voices) await generateMedia(join(workspace, name), ['-i', pathOf('kennedy')])
})
afterAll(async () => {
  await agentSession[Symbol.asyncDispose]()
  await speechServices[Symbol.asyncDispose]()
})

async function callUntilEnded(agent: ConnectedAgent, name: string, args: object, timeout: number) {
  let response = parseToolResult(
    await agent.client.callTool({ name, arguments: { ...args, wait_seconds: 45 } }, { timeout }),
  )
  while (['queued', 'processing'].includes(String(response.data['status'])))
    response = await agent.call('get_task', { task_id: response.data['task_id'], wait_seconds: 45 })
  return response
}

test('piano_audio_to_midi of a local path', async ({ skip, task }) => {
  if (mirror === undefined) skip('there is no model (REELWRIGHT_TESTDATA)')
  const agent = await agentSession.shared('modern')
  const { data, isError } = await callUntilEnded(
    agent,
    'piano_audio_to_midi',
    { file_id: 'piano.wav' },
    task.timeout,
  )
  expect([isError, data['status']]).toEqual([false, 'completed'])
  const [file] = data['files'] as { path: string }[]
  const { notes } = readMidi(await readFile(file?.path ?? ''))
  expect(f1([scoreNotes(piece, notes)])).toBeGreaterThan(0.9)
})

test('piano_audio_to_midi of speech reports that it contains no piano', async ({ skip, task }) => {
  const speech = testdata('speech')
  if (mirror === undefined || speech === undefined) skip('there is no model (REELWRIGHT_TESTDATA)')
  const agent = await agentSession.shared('modern')
  await writeFile(join(agentSession.workspace, 'talk.flac'), await readFile(join(speech ?? '', 'jfk.flac')))
  const { text } = await callUntilEnded(agent, 'piano_audio_to_midi', { file_id: 'talk.flac' }, task.timeout)
  expect(text).toContain('6014')
  expect(text).toContain('contains no piano')
})

test('piano_audio_enhance of a local path: a WAV and its MIDI', async ({ skip, task }) => {
  if (mirror === undefined) skip('there is no model (REELWRIGHT_TESTDATA)')
  const agent = await agentSession.shared('modern')
  const { data, isError } = await callUntilEnded(
    agent,
    'piano_audio_enhance',
    { file_id: 'piano.wav' },
    task.timeout,
  )
  expect([isError, data['status']]).toEqual([false, 'completed'])
  const paths = (data['files'] as { path: string }[]).map(({ path }) => path)
  expect(paths.map((path) => extname(path)).toSorted()).toEqual(['.mid', '.wav'])
  const [wav] = await streams(paths.find((path) => path.endsWith('.wav')) ?? '')
  expect(wav).toMatchObject({ codec_name: 'pcm_s24le', sample_rate: '48000', channels: 2 })
})

test('a truncated recording is transcribed, and the missing seconds are reported', async ({ skip, task }) => {
  if (mirror === undefined) skip('there is no model (REELWRIGHT_TESTDATA)')
  const agent = await agentSession.shared('modern')
  const bytes = await readFile(join(agentSession.workspace, 'piano.wav'))
  await writeFile(join(agentSession.workspace, 'cut.wav'), bytes.subarray(0, 0.4 * bytes.length))
  const { data } = await callUntilEnded(agent, 'piano_audio_to_midi', { file_id: 'cut.wav' }, task.timeout)
  const { notes, duration } = data['output'] as { notes?: string[]; duration: number }
  const missingSeconds = (4.5 - duration).toFixed(1)
  expect(notes).toEqual([`the sound ends ${missingSeconds} s before the declared end`])
})

const noise = ['-f', 'lavfi', '-i', 'anoisesrc=d=4']
const both = ['-f', 'lavfi', '-i', 'testsrc2=s=64x64:d=1', '-f', 'lavfi', '-i', 'sine=d=1']

test.skipIf(mirror === undefined).each([
  ['sound', noise],
  ['a picture in it', [...both, '-pix_fmt', 'yuv420p', '-f', 'mp4']],
])('a damaged .m4a (%s does not decode) is rejected with 6017 (REELWRIGHT_TESTDATA)', async (name, args) => {
  const agent = await agentSession.shared('modern')
  const path = join(agentSession.workspace, `${name}.m4a`)
  const bytes = await readFile(await generateMedia(path, [...args, '-movflags', '+faststart']))
  const media = bytes.indexOf('mdat') + 4
  await writeFile(path, bytes.fill(0, media + 200, bytes.length - 200))
  const { text } = await agent.call('piano_audio_to_midi', { file_id: path, wait_seconds: 45 })
  expect(text).toContain('6017')
  expect(text).toContain('sound to flac')
})

test('the sound of a video is transcribed', async ({ skip, task }) => {
  if (mirror === undefined) skip('there is no model (REELWRIGHT_TESTDATA)')
  const { workspace } = agentSession
  const video = ['-f', 'lavfi', '-i', 'testsrc2=s=64x64', '-i', join(workspace, 'piano.wav')]
  await generateMedia(join(workspace, 'concert.mp4'), [...video, '-shortest', '-pix_fmt', 'yuv420p'])
  const agent = await agentSession.shared('modern')
  const { data } = await callUntilEnded(
    agent,
    'piano_audio_to_midi',
    { file_id: 'concert.mp4' },
    task.timeout,
  )
  expect(data).toMatchObject({ status: 'completed', assumed: ['The sound of concert.mp4 is used.'] })
  const [file] = data['files'] as { path: string }[]
  const { notes } = readMidi(await readFile(file?.path ?? ''))
  expect(f1([scoreNotes(piece, notes)])).toBeGreaterThan(0.85)
})

test('a video without sound is rejected', async () => {
  await generateMedia(join(agentSession.workspace, 'mute.mp4'), [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=64x64:d=1', '-pix_fmt', 'yuv420p'],
  ])
  const agent = await agentSession.shared('modern')
  const { text } = await agent.call('piano_audio_enhance', { file_id: 'mute.mp4' })
  expect(text).toMatch(/^6014: .*has no sound/)
})

describe.skipIf(!hasSpeechFiles)('speech in the voice of a recording (REELWRIGHT_TESTDATA)', () => {
  const callTextToSpeech = (agent: ConnectedAgent, args: object) =>
    callUntilDone(agent, 'audio_tts_zero_shot', args)

  test.each(spokenExamples)('example: $title', async ({ input }) => {
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
