import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BasicSoundBank } from 'spessasynth_core'
import { beforeAll, expect, it } from 'vitest'
import { manifest } from '../../src/engines/packs/manifest.ts'
import { packFolder, inventoryFile } from '../../src/engines/packs/store.ts'
import { configurePacks } from '../../src/engines/packs/resolve.ts'
import {
  loadSampledPiano,
  playPerformance,
  samplePackage,
  velocityLayers,
} from '../../src/engines/piano/synthesizer.ts'
import { pitchFrequency } from '../../src/media/piano/note.ts'
import { run } from '../../tools/piano-audio-enhance/run.ts'
import { artifactOf } from '../packs/pack-fixtures.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { writeModelFile } from '../engines/vision/fake-models.ts'
import { sampleCases } from '../soak-size.ts'
import { createTestContext, fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'
import { amplitude, ffmpeg } from '../video-split-screen/media.ts'
import { loudnessPianoModel } from './fake-piano-model.ts'

// A fake piano whose recordings are tones, with the layout of the packages.

const scratch = await scratchFolder()
const folder = packFolder(
  { folder: join(scratch, 'packs'), automatic: false, own: {}, manifest },
  'piano-samples',
  manifest['piano-samples'],
)
const names = ['A', 'C', 'D#', 'F#']
let bank: BasicSoundBank

/** `npm test` plays two of the recorded keys and two others. */
const playedKeys = [21, 60, 22, 69, 61, 107, 62, 108]
/** The packages have every third key from 21. */
const recordedKeys = Array.from({ length: 30 }, (_, index) => 21 + 3 * index)
/** Recordings that sound for the played keys. Each other key has a copy of one, as encoding takes much longer. */
const heardKeys = recordedKeys.filter((key) => playedKeys.some((played) => Math.abs(played - key) <= 1))

beforeAll(async () => {
  for (const { number } of velocityLayers) {
    const audio = join(folder, 'node_modules', samplePackage(number), 'audio')
    await mkdir(audio, { recursive: true })
    const fileOf = (key: number) => {
      const name = names[((key - 21) / 3) % 4] ?? ''
      return join(audio, `${name}${Math.floor(key / 12) - 1}v${number}.ogg`)
    }
    // One ffmpeg run writes all files, which is faster.
    await ffmpeg(
      ...heardKeys.flatMap((key) => [
        ...['-f', 'lavfi', '-i'],
        `aevalsrc=${number / 20}*sin(2*PI*${pitchFrequency(key)}*t):s=48000:d=0.7`,
      ]),
      ...heardKeys.flatMap((key, index) => {
        const output = ['-ac', '2', '-c:a', 'libvorbis', '-q:a', '5', fileOf(key)]
        return ['-map', `${index}:a`, ...output]
      }),
    )
    for (const key of recordedKeys) if (!heardKeys.includes(key)) await copyFile(fileOf(21), fileOf(key))
  }
  const [{ number }] = velocityLayers
  const path = `node_modules/${samplePackage(number)}/audio/A0v${number}.ogg`
  const { file: _, ...inventory } = artifactOf(path, await readFile(join(folder, path)))
  await writeFile(join(folder, inventoryFile), JSON.stringify([{ path, ...inventory }]))
  bank = await loadSampledPiano(folder)
})

/** Half a second of a key in stereo, from 0.1 s after the strike. */
async function renderKey(pitch: number, velocity: number): Promise<readonly [Float32Array, Float32Array]> {
  const notes = [{ pitch, start: 0, end: 0.8, velocity }]
  const parts: number[] = []
  const playing = { rate: 48_000, samples: 28_800 }
  for await (const piece of playPerformance(bank, { notes, pedals: [] }, playing)) parts.push(...piece)
  const side = (first: number) =>
    Float32Array.from({ length: 24_000 }, (_, at) => parts[2 * (at + 4800) + first] ?? 0)
  return [side(0), side(1)]
}

it.each(sampleCases(playedKeys, 4))('key %i has its pitch on both channels', async (pitch) => {
  for (const side of await renderKey(pitch, 80)) {
    const toneAmplitude = amplitude(side, pitchFrequency(pitch))
    expect(toneAmplitude).toBeGreaterThan(0.005)
    for (const apart of [-1, 1])
      expect(amplitude(side, pitchFrequency(pitch + apart))).toBeLessThan(toneAmplitude / 3)
  }
})

it('higher velocities are louder, also across velocity layers', async () => {
  const levels: number[] = []
  for (const velocity of [10, 30, 50, 51, 70, 90, 91, 127]) {
    const [left] = await renderKey(60, velocity)
    levels.push(amplitude(left, pitchFrequency(60)))
  }
  expect(levels).toEqual(levels.toSorted((one, other) => one - other))
})

it('the output contains the attribution required by the licence', async () => {
  const userModels = { 'piano-model': await writeModelFile(scratch, loudnessPianoModel()) }
  configurePacks({ folder: join(scratch, 'packs'), automatic: false, own: userModels, manifest })
  const path = join(scratch, 'source.wav')
  await ffmpeg('-f', 'lavfi', '-i', 'sine=f=500:d=1,volume=4', path)
  const { context, results } = createTestContext(
    await stageFiles([path]),
    await mkdtemp(join(scratch, 'run-')),
  )
  const { piano } = await run({ file_id: fileIdOf(path) }, context)
  expect(piano).toBe('salamander')
  const probeArgs = ['-v', 'error', '-show_entries', 'format_tags', '-of', 'json', results[0]?.path ?? '']
  const { stdout } = await promisify(execFile)('ffprobe', probeArgs)
  expect(JSON.parse(stdout)).toMatchObject({
    format: { tags: { comment: expect.stringMatching(/Salamander.* by Alexander Holm .*CC BY 3\.0/) } },
  })
})
