import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readMidi } from '../../src/media/midi/read.ts'
import { testdata } from '../engines/ffmpeg/made.ts'
import { makePiece } from '../piano/pieces.ts'
import { florestan, record, writeWav } from '../piano/recordings.ts'
import { f1, scoreNotes } from '../piano/score.ts'
import { streams } from '../video-split-screen/media.ts'
import { openStudio, type RealAgent, type Studio } from './real-agent.ts'
import { takeApart } from './stdio-client.ts'

// A recording in an agent's workspace becomes MIDI there; the models come by themselves, from a mirror.

const mirror = testdata('models')
const piece = makePiece('voices', 31)
let studio: Studio

beforeAll(async () => {
  studio = await openStudio()
  await mkdir(studio.dataDir, { recursive: true })
  await writeFile(join(studio.dataDir, 'reelwright.config.json'), JSON.stringify({ models_mirror: mirror }))
  if (florestan)
    await writeWav(join(studio.workspace, 'piano.wav'), await record(piece, { soundFont: florestan }))
})
afterAll(() => studio[Symbol.asyncDispose]())

async function ended(agent: RealAgent, name: string, args: object, timeout: number) {
  let answer = takeApart(
    await agent.client.callTool({ name, arguments: { ...args, wait_seconds: 45 } }, { timeout }),
  )
  while (['queued', 'processing'].includes(String(answer.data['status'])))
    answer = await agent.call('get_task', { task_id: answer.data['task_id'], wait_seconds: 45 })
  return answer
}

test('piano_audio_to_midi of a local path', async ({ skip, task }) => {
  if (mirror === undefined) skip('there is no model (REELWRIGHT_TESTDATA)')
  await using agent = await studio.agent('modern')
  const { data, isError } = await ended(agent, 'piano_audio_to_midi', { file_id: 'piano.wav' }, task.timeout)
  expect([isError, data['status']]).toEqual([false, 'completed'])
  const [file] = data['files'] as { path: string }[]
  const { notes } = readMidi(await readFile(file?.path ?? ''))
  expect(f1([scoreNotes(piece, notes)])).toBeGreaterThan(0.9)
})

test('piano_audio_to_midi of speech says what was heard', async ({ skip, task }) => {
  const speech = testdata('speech')
  if (mirror === undefined || speech === undefined) skip('there is no model (REELWRIGHT_TESTDATA)')
  await using agent = await studio.agent('modern')
  await writeFile(join(studio.workspace, 'talk.flac'), await readFile(join(speech ?? '', 'jfk.flac')))
  const { text } = await ended(agent, 'piano_audio_to_midi', { file_id: 'talk.flac' }, task.timeout)
  expect(text).toContain('6014')
  expect(text).toContain('no piano was found')
})

test('piano_audio_enhance of a local path: a WAV and its MIDI', async ({ skip, task }) => {
  if (mirror === undefined) skip('there is no model (REELWRIGHT_TESTDATA)')
  await using agent = await studio.agent('legacy')
  const { data, isError } = await ended(agent, 'piano_audio_enhance', { file_id: 'piano.wav' }, task.timeout)
  expect([isError, data['status']]).toEqual([false, 'completed'])
  const paths = (data['files'] as { path: string }[]).map(({ path }) => path)
  expect(paths.map((path) => extname(path)).toSorted()).toEqual(['.mid', '.wav'])
  const [wav] = await streams(paths.find((path) => path.endsWith('.wav')) ?? '')
  expect(wav).toMatchObject({ codec_name: 'pcm_s24le', sample_rate: '48000', channels: 2 })
})
