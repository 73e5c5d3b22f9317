import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { fillPath, routes } from '../../src/contract/routes.ts'
import type { TaskQuote } from '../../src/contract/task.ts'
import { manifest } from '../../src/engines/packs/manifest.ts'
import type { PackSettings } from '../../src/engines/packs/store.ts'
import { configurePacks } from '../../src/engines/packs/resolve.ts'
import { requireAll } from '../../src/engines/readiness.ts'
import { openPianoTranscriber } from '../../src/engines/piano/select-transcriber.ts'
import { transcriptionSeconds, workTimeoutMs } from '../../src/media/piano/recording.ts'
import { operations } from '../../tools/index.ts'
import { requirements } from '../../tools/piano-audio-to-midi/requirements.ts'
import { run } from '../../tools/piano-audio-to-midi/run.ts'
import type { Graph } from '../engines/onnx-file.ts'
import { writeModelFile } from '../engines/vision/fake-models.ts'
import { generateMedia, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { corruptBytes } from '../engines/ffmpeg/corrupt-bytes.ts'
import { api } from '../service/api.ts'
import { startTestService } from '../service/in-process.ts'
import { createTestContext, fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'
import { recordingRate, writeWav } from './recordings.ts'
import { detectedKey, loudnessPianoModel } from './fake-piano-model.ts'
import { transcribe } from './run-to-midi.ts'

// A piano model configured by the user; a fake that reacts to loudness.

let folder: string
let path: string

/** Times of the sound, seconds: across window boundaries (every five seconds), and after silence. */
const burstTimes = [
  [1, 1.8],
  [4.5, 5.5],
  [9.96, 10.3],
  [12, 12.5],
  [21.25, 23],
] as const

beforeAll(async () => {
  folder = await scratchFolder()
  const sound = soundOf(burstTimes.map(([from, to]) => [from, to, 0.3]))
  path = await writeWav(join(folder, 'bursts.wav'), sound)
})

/** Bursts of a tone, by start, end (seconds) and level, followed by silence. */
function soundOf(bursts: readonly (readonly [number, number, number])[]): Float32Array {
  const lasts = Math.max(...bursts.map(([, to]) => to)) + 2
  return Float32Array.from({ length: lasts * recordingRate }, (_, at) => {
    const time = at / recordingRate
    const [, , level] = bursts.find(([from, to]) => time >= from && time < to) ?? [0, 0, 0]
    return level * Math.sign(Math.sin(2 * Math.PI * 500 * time))
  })
}

async function useModel(graph: Graph | Buffer): Promise<void> {
  const configured = { 'piano-model': await writeModelFile(folder, graph) }
  configurePacks({ folder: join(folder, 'packs'), automatic: false, own: configured, manifest })
}

it('is used with its pedal for recordings of any length', async () => {
  await useModel(loudnessPianoModel())
  await requireAll(requirements())
  const { found, output } = await transcribe(path, folder)
  expect(output).toMatchObject({ transcriber: 'piano-model', pedal: true, notes_found: burstTimes.length })
  expect(found.notes.map(({ pitch }) => pitch)).toEqual(burstTimes.map(() => detectedKey + 21))
  expect(found.pedals).toHaveLength(burstTimes.length)
  for (const [index, [start, end]] of burstTimes.entries()) {
    for (const span of [found.notes[index], found.pedals[index]]) {
      expect(Math.abs((span?.start ?? 0) - start)).toBeLessThan(0.025)
      expect(Math.abs((span?.end ?? 0) - end)).toBeLessThan(0.025)
    }
  }
})

it('striking a held key again ends its note and starts another', async () => {
  // More notes follow: two improbable ones alone would be rejected.
  const others = [3, 4, 5, 6].map((second) => [second, second + 0.5, 0.5] as const)
  const sound = soundOf([[1, 1.5, 0.25], [1.5, 2.2, 0.5], ...others])
  await useModel(loudnessPianoModel())
  const { found } = await transcribe(await writeWav(join(folder, 'again.wav'), sound), folder)
  const [first, second] = found.notes
  expect(found.notes).toHaveLength(6)
  for (const [actual, time] of [
    [first?.start, 1],
    [first?.end, 1.5],
    [second?.start, 1.5],
    [second?.end, 2.2],
  ])
    expect(Math.abs((actual ?? 0) - (time ?? 0))).toBeLessThan(0.025)
  expect(second?.velocity).toBeGreaterThan(first?.velocity ?? 127)
})

it('stores the transcription for the next attempt, per transcriber', async () => {
  const copy = join(folder, 'copy.wav')
  await copyFile(path, copy)
  const files = await stageFiles([copy])
  const steps = await mkdtemp(join(folder, 'steps-'))
  const attempt = async () => {
    const { context } = createTestContext(files, await mkdtemp(join(folder, 'attempt-')))
    return await run({ file_id: fileIdOf(copy) }, { ...context, steps })
  }
  await useModel(loudnessPianoModel())
  const first = await attempt()
  // A second transcription is impossible.
  await rm(copy)
  expect(await attempt()).toEqual(first)
  const another = loudnessPianoModel()
  await useModel({ ...another, constants: { ...another.constants, twice: { dims: [1], values: [7] } } })
  await expect(attempt()).rejects.toMatchObject({ code: 6500 })
})

it('reports sound in the middle of a recording that cannot be decoded', async () => {
  await useModel(loudnessPianoModel())
  const coded = await generateMedia(join(folder, 'hole.m4a'), ['-i', path, '-c:a', 'aac'])
  expect((await transcribe(coded, folder)).output.notes).toBeUndefined()
  const { output } = await transcribe(await corruptBytes(coded, 0.55, 0.7), folder)
  expect(output.notes).toEqual([
    expect.stringMatching(
      /^\d\.\d s of the sound are missing or cannot be decoded; they were treated as silence$/,
    ),
  ])
})

it('has a timeout that suits a slow machine', async () => {
  await useModel(loudnessPianoModel())
  await using transcriber = await openPianoTranscriber(1, new AbortController().signal)
  const hours = 6 * 3600 * 1000
  // It runs at about real time; a tenth of that speed must not time out.
  expect(workTimeoutMs(transcriptionSeconds(hours, transcriber.secondsPerSecond))).toBeGreaterThan(10 * hours)
})

it('the plan reports the expected time', async () => {
  const configureModel = (configured: PackSettings['own']) =>
    configurePacks({ folder: join(folder, 'packs'), automatic: true, own: configured, manifest })
  configureModel({})
  await using service = await startTestService({ operations })
  const { data: file } = await api(service).upload('bursts.wav', new Uint8Array(await readFile(path)))
  const expected = async (task_type: string) => {
    const quote = await api(service).send<TaskQuote>(fillPath(routes.quoteTask.path, { task_type }), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ file_id: file.file_id }),
    })
    return quote.data.estimated_duration
  }
  const both = () => Promise.all(['piano_audio_to_midi', 'piano_audio_enhance'].map(expected))
  const without = await both()
  configureModel({ 'piano-model': await writeModelFile(folder, loudnessPianoModel()) })
  // It runs at about real time: 25 s.
  for (const [index, seconds] of (await both()).entries())
    expect(seconds).toBeGreaterThan((without[index] ?? Infinity) + 20)
})

it.each([
  ['is not a model file', Buffer.from('not a model')],
  ['requires shorter sound', loudnessPianoModel(80_000)],
  ['has no offset output', { ...loudnessPianoModel(), outputs: { reg_onset_output: [1, 1000, 88] } }],
] as const)('is rejected if it %s', async (_, graph) => {
  await useModel(graph)
  await expect(transcribe(path, folder)).rejects.toMatchObject({
    code: 6016,
    hint: expect.stringContaining('160000'),
  })
})

it('names the install command if nothing is installed', async () => {
  configurePacks({ folder: join(folder, 'packs'), automatic: false, own: {}, manifest })
  await expect(requireAll(requirements())).rejects.toMatchObject({
    code: 6401,
    hint: 'reelwright models pull piano-transcription',
  })
})
