import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readMidi } from '../piano/read-midi.ts'
import { generateMedia, testdata } from '../engines/ffmpeg/generate-media.ts'
import { firstSeconds, generatePiece } from '../piano/generated-pieces.ts'
import { florestan, record, writeWav } from '../piano/recordings.ts'
import { f1, scoreNotes } from '../piano/note-f1.ts'
import { streams } from '../video-split-screen/media.ts'
import { startAgentSession, type ConnectedAgent, type AgentSession } from './agent-session.ts'
import { parseToolResult } from './stdio-client.ts'

// Transcribes a recording in the workspace. The models are downloaded on first use, from a mirror.

const mirror = testdata('models')
const piece = firstSeconds(generatePiece('voices', 31), 5)
let agentSession: AgentSession

beforeAll(async () => {
  agentSession = await startAgentSession()
  await mkdir(agentSession.dataDir, { recursive: true })
  await writeFile(
    join(agentSession.dataDir, 'reelwright.config.json'),
    JSON.stringify({ models_mirror: mirror }),
  )
  if (florestan)
    await writeWav(join(agentSession.workspace, 'piano.wav'), await record(piece, { soundFont: florestan }))
})
afterAll(() => agentSession[Symbol.asyncDispose]())

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
  const missingSeconds = (6.5 - duration).toFixed(1)
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
