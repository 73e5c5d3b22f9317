import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { manifest } from '../../src/engines/packs/manifest.ts'
import { setPacks } from '../../src/engines/packs/use.ts'
import { ready } from '../../tools/piano-audio-to-midi/run.ts'
import type { Graph } from '../engines/onnx-file.ts'
import { bringModel } from '../engines/vision/stand-in-models.ts'
import { scratchFolder } from '../engines/ffmpeg/made.ts'
import { recordingRate, writeWav } from './recordings.ts'
import { heardKey, loudnessAsPiano } from './stand-in-model.ts'
import { transcribe } from './transcribe.ts'

// A model made for pianos, as people bring theirs: one that hears loudness stands in for it.

let folder: string
let path: string

/** When it sounds, seconds: over the seams of windows, which lie every five seconds, and after silence. */
const sounding = [
  [1, 1.8],
  [4.5, 5.5],
  [9.96, 10.3],
  [12, 12.5],
  [21.25, 23],
] as const

beforeAll(async () => {
  folder = await scratchFolder()
  const sound = Float32Array.from({ length: 25 * recordingRate }, (_, at) => {
    const isOn = sounding.some(([from, to]) => at >= from * recordingRate && at < to * recordingRate)
    return isOn ? 0.3 * Math.sign(Math.sin((2 * Math.PI * 500 * at) / recordingRate)) : 0
  })
  path = await writeWav(join(folder, 'bursts.wav'), sound)
})

async function bring(graph: Graph | Buffer): Promise<void> {
  const own = { 'piano-model': await bringModel(folder, graph) }
  setPacks({ folder: join(folder, 'packs'), automatic: false, own, manifest })
}

it('is used where it is set, with its pedal, over any length', async () => {
  await bring(loudnessAsPiano())
  await ready()
  const { found, output } = await transcribe(path, folder)
  expect(output).toMatchObject({ transcriber: 'piano-model', pedal: true, notes_found: sounding.length })
  expect(found.notes.map(({ pitch }) => pitch)).toEqual(sounding.map(() => heardKey + 21))
  expect(found.pedals).toHaveLength(sounding.length)
  for (const [index, [start, end]] of sounding.entries()) {
    for (const span of [found.notes[index], found.pedals[index]]) {
      expect(Math.abs((span?.start ?? 0) - start)).toBeLessThan(0.025)
      expect(Math.abs((span?.end ?? 0) - end)).toBeLessThan(0.025)
    }
  }
})

it.each([
  ['is no model', Buffer.from('not a model')],
  ['takes shorter sound', loudnessAsPiano(80_000)],
  ['tells no offsets', { ...loudnessAsPiano(), outputs: { reg_onset_output: [1, 1000, 88] } }],
] as const)('is refused where it %s', async (_, graph) => {
  await bring(graph)
  await expect(transcribe(path, folder)).rejects.toMatchObject({
    code: 6016,
    hint: expect.stringContaining('160000'),
  })
})

it('nothing installed: the one command that helps is told', async () => {
  setPacks({ folder: join(folder, 'packs'), automatic: false, own: {}, manifest })
  await expect(ready()).rejects.toMatchObject({
    code: 6401,
    hint: 'Run: reelwright models pull piano-transcription',
  })
})
