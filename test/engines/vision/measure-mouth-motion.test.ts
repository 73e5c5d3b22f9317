import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { decodeVoice } from '../../../src/engines/ffmpeg/sound.ts'
import { openVoiceActivityDetector } from '../../../src/engines/speech/voice-activity.ts'
import { measureMouthMotion } from '../../../src/engines/vision/measure-mouth-motion.ts'
import { compareWithSpeech, type MouthSample, visualSpeech } from '../../../src/media/cut/visual-speech.ts'
import type { TimeSpan } from '../../../src/media/speech/speech-types.ts'
import { soakSize } from '../../soak-size.ts'
import { generateMedia, scratchFolder, testdata, tone } from '../ffmpeg/generate-media.ts'
import { useTestPacks } from './test-packs.ts'

let folder: string
beforeAll(async () => {
  folder = await scratchFolder()
  useTestPacks(join(folder, 'packs'))
})

/** Measures a video, or so many samples of it. */
async function measure(
  path: string,
  { most = Infinity, ...more }: { readonly most?: number; signal?: AbortSignal; after?: number } = {},
): Promise<MouthSample[]> {
  const samples: MouthSample[] = []
  for await (const sample of measureMouthMotion(path, await probe(path), { threads: 2, ...more })) {
    samples.push(sample)
    if (samples.length === most) break
  }
  return samples
}

/** Measures a video, and how much memory grows from one sample to another. */
async function measureMemory(path: string, [settled, last]: readonly [number, number]) {
  const samples: MouthSample[] = []
  let [before, after] = [0, 0]
  for await (const sample of measureMouthMotion(path, await probe(path), { threads: 2 })) {
    samples.push(sample)
    if (samples.length === settled) before = process.memoryUsage().rss
    if (samples.length === last) after = process.memoryUsage().rss
  }
  expect(samples.length).toBeGreaterThanOrEqual(last)
  return { samples, grown: after - before }
}

async function voicesOf(path: string): Promise<TimeSpan[]> {
  const { signal } = new AbortController()
  await using detector = await openVoiceActivityDetector(signal)
  const sound = decodeVoice(path, { signal, timeoutMs: 60_000 })
  const voices: TimeSpan[] = []
  for await (const span of detector.detect(sound, { signal })) voices.push(span)
  return voices
}

const isIn = (spans: readonly TimeSpan[], time: number) =>
  spans.some(({ start, end }) => time >= start && time < end)

describe.skipIf(testdata('models') === undefined)('motion of the mouth (REELWRIGHT_TESTDATA)', () => {
  const source = join(testdata('video') ?? '', 'opendubbing-englishvideo.mp4')
  /** Samples of the speaker, and the growth of the memory from one of them to another, bytes. */
  let speaker: Awaited<ReturnType<typeof measureMemory>>
  beforeAll(async () => {
    speaker = await measureMemory(source, [30, 100])
  })

  it('of a speaker agrees with the voice, and shows speech that has no words', async () => {
    const { samples } = speaker
    // 299 frames at 30 fps, every second one.
    expect(samples).toHaveLength(149)
    for (const [index, { start, end, motion }] of samples.entries()) {
      expect(start).toBeCloseTo(index / 15, 6)
      expect(end).toBeCloseTo((index + 1) / 15, 6)
      expect(motion).not.toBeNull()
    }
    const [visual, voices] = [visualSpeech(samples), await voicesOf(source)]
    const times = Array.from({ length: 996 }, (_, index) => index / 100)
    const both = times.filter((time) => isIn(visual, time) && isIn(voices, time)).length
    expect(both / times.filter((time) => isIn(voices, time)).length, 'recall').toBeGreaterThan(0.85)
    // Lips open before a voice, close after it, and move in pauses of half a second.
    expect(both / times.filter((time) => isIn(visual, time)).length, 'precision').toBeGreaterThan(0.65)
    const third = voices[2] ?? { start: 0, end: 0 }
    const words = voices
      .filter((span) => span !== third)
      .flatMap(({ start, end }) => [
        { start, end: (start + end) / 2 },
        { start: (start + end) / 2, end },
      ])
    const omissions = compareWithSpeech(visual, { words, voices })
    expect(omissions).toEqual([
      { start: expect.closeTo(third.start, 0.5), end: expect.closeTo(third.end, 0.5), overlap: 0 },
    ])
  })

  it('is the same when the measurement continues after any sample', async () => {
    const { samples } = speaker
    expect(samples.length).toBeGreaterThan(25)
    // Near the end, so that the last samples are compared in little time.
    const late = samples.length - 14
    for (const count of soakSize([late], [1, 11, late])) {
      const after = samples[count - 1]?.end
      expect(after).toBeGreaterThan(0)
      expect(await measure(source, { after })).toEqual(samples.slice(count))
    }
  })

  it('is unknown without a face, and absent without a picture', async () => {
    const cars = join(testdata('video') ?? '', 'natural', 'car-detection.mp4')
    const controller = new AbortController()
    const count = soakSize(10, 30)
    const samples = await measure(cars, { most: count })
    expect(samples.map(({ motion }) => motion)).toEqual(Array.from({ length: count }, () => null))
    controller.abort(new Error('enough'))
    await expect(measure(cars, { signal: controller.signal })).rejects.toThrow('enough')
    expect(await measure(await generateMedia(join(folder, 'sound.wav'), tone(0.2)))).toEqual([])
  })

  it('is measured in memory that does not grow with the video', async () => {
    const measureTwice = async () => {
      const path = await generateMedia(join(folder, 'long.mp4'), [
        ...['-stream_loop', '1', '-i', source, '-c', 'copy'],
      ])
      return await measureMemory(path, [100, 290])
    }
    const { samples, grown } = await soakSize(() => Promise.resolve(speaker), measureTwice)()
    for (const [index, { start }] of samples.entries()) expect(start).toBeCloseTo(index / 15, 6)
    expect(grown).toBeLessThan(80e6)
  })
})
