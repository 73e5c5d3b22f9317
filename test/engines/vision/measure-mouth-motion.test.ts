import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { decodeVoice } from '../../../src/engines/ffmpeg/sound.ts'
import { openVoiceActivityDetector } from '../../../src/engines/speech/voice-activity.ts'
import { measureMouthMotion } from '../../../src/engines/vision/measure-mouth-motion.ts'
import { compareWithSpeech, type MouthSample, visualSpeech } from '../../../src/media/cut/visual-speech.ts'
import type { TimeSpan } from '../../../src/media/speech/speech-types.ts'
import { soakSize, sampleCases } from '../../soak-size.ts'
import { generateMedia, scratchFolder, testdata, tone } from '../ffmpeg/generate-media.ts'
import { useTestPacks } from './test-packs.ts'

let folder: string
beforeAll(async () => {
  folder = await scratchFolder()
  useTestPacks(join(folder, 'packs'))
})

async function measure(path: string, signal?: AbortSignal, after = 0): Promise<MouthSample[]> {
  const samples: MouthSample[] = []
  for await (const sample of measureMouthMotion(path, await probe(path), { threads: 2, signal, after }))
    samples.push(sample)
  return samples
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
  it('of a speaker agrees with the voice, and shows speech that has no words', async () => {
    const path = join(testdata('video') ?? '', 'opendubbing-englishvideo.mp4')
    const samples = await measure(path)
    // 299 frames at 30 fps, every second one.
    expect(samples).toHaveLength(149)
    for (const [index, { start, end, motion }] of samples.entries()) {
      expect(start).toBeCloseTo(index / 15, 6)
      expect(end).toBeCloseTo((index + 1) / 15, 6)
      expect(motion).not.toBeNull()
    }
    const [visual, voices] = [visualSpeech(samples), await voicesOf(path)]
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
    const path = await generateMedia(join(folder, 'short.mp4'), [
      ...['-ss', '4', '-t', '2', '-i', join(testdata('video') ?? '', 'opendubbing-englishvideo.mp4')],
      ...['-an', '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'],
    ])
    const samples = await measure(path)
    expect(samples.length).toBeGreaterThan(25)
    for (const count of soakSize([11], [1, 11])) {
      expect(await measure(path, undefined, samples[count - 1]?.end)).toEqual(samples.slice(count))
    }
  })

  it('of silent people who move their heads and hands is not that of speech, but that of a mouthed word is', async () => {
    const spansIn = async (clip: string) => {
      const samples = await measure(join(testdata('video') ?? '', 'natural', clip))
      const seen = samples.filter(({ motion }) => motion !== null)
      expect(seen.length, clip).toBeGreaterThan(0.9 * samples.length)
      return visualSpeech(samples)
    }
    for (const silent of sampleCases(['book.mkv', 'walk.mkv'], 1))
      expect(await spansIn(silent), silent).toEqual([])
    // The signer mouths "night": his lips open at 0.5 s and close at 0.9 s, read off the frames.
    expect(await spansIn('night.mkv')).toEqual([
      { start: expect.closeTo(0.5, 0.5), end: expect.closeTo(0.9, 0.5) },
    ])
  })

  it('is unknown without a face, and absent without a picture', async () => {
    const cars = join(testdata('video') ?? '', 'natural', 'car-detection.mp4')
    const controller = new AbortController()
    const samples: MouthSample[] = []
    for await (const sample of measureMouthMotion(cars, await probe(cars), { threads: 2 })) {
      samples.push(sample)
      if (samples.length === 30) break
    }
    expect(samples.map(({ motion }) => motion)).toEqual(Array.from({ length: 30 }, () => null))
    controller.abort(new Error('enough'))
    await expect(measure(cars, controller.signal)).rejects.toThrow('enough')
    expect(await measure(await generateMedia(join(folder, 'sound.wav'), tone(0.2)))).toEqual([])
  })

  it('is measured in memory that does not grow with the video', async () => {
    const source = join(testdata('video') ?? '', 'opendubbing-englishvideo.mp4')
    const path = await generateMedia(join(folder, 'long.mp4'), [
      ...['-stream_loop', '1', '-i', source, '-c', 'copy'],
    ])
    const [settled, last] = soakSize([30, 100], [100, 290])
    let [count, after] = [0, 0]
    for await (const { start } of measureMouthMotion(path, await probe(path), { threads: 2 })) {
      expect(start).toBeCloseTo(count / 15, 6)
      count += 1
      if (count === settled) after = process.memoryUsage().rss
      if (count > last) break
    }
    expect(count).toBeGreaterThan(last)
    expect(process.memoryUsage().rss - after).toBeLessThan(80e6)
  })
})
