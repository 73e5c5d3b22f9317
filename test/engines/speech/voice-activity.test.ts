import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readVoice } from '../../../src/engines/ffmpeg/sound.ts'
import {
  openVoiceActivityDetector,
  type VoiceActivityDetector,
} from '../../../src/engines/speech/voice-activity.ts'
import type { TimeSpan } from '../../../src/media/speech/speech-types.ts'
import { generateMedia, scratchFolder } from '../ffmpeg/generate-media.ts'
import { soakSize } from '../../soak-size.ts'
import {
  hasSpeechFiles,
  inChunks,
  joined,
  mixed,
  music,
  neverAborted,
  noise,
  pathOf,
  decodeLimits,
  silence,
  useSpeechPacks,
  voiceOf,
} from './recordings.ts'

const folder = await scratchFolder()

describe('decoding for speech engines', () => {
  it('returns mono at 16 kHz, with the length of the file or as requested', async () => {
    const path = await generateMedia(join(folder, 'both.wav'), [
      '-f',
      'lavfi',
      '-i',
      'aevalsrc=0.5|0.25:s=44100:d=1.5',
    ])
    expect((await readVoice(path, decodeLimits)).length).toBeCloseTo(24_000, -1)
    const part = await readVoice(path, { ...decodeLimits, from: 0.5, seconds: 0.25 })
    expect(part.length).toBe(4000)
    for (const sample of part.subarray(100, -100)) expect(sample).toBeCloseTo(0.375, 3)
  })

  it('rejects a file without sound', async () => {
    const path = await generateMedia(join(folder, 'mute.mp4'), ['-f', 'lavfi', '-i', 'color=s=64x64:d=0.1'])
    await expect(readVoice(path, decodeLimits)).rejects.toMatchObject({ name: 'MediaError' })
  })
})

describe.skipIf(!hasSpeechFiles)('voice activity detection (REELWRIGHT_TESTDATA)', () => {
  let finder: VoiceActivityDetector
  beforeAll(async () => {
    useSpeechPacks(folder)
    finder = await openVoiceActivityDetector(neverAborted)
  })
  afterAll(() => finder[Symbol.asyncDispose]())

  async function spansIn(sound: Float32Array): Promise<TimeSpan[]> {
    const spans: TimeSpan[] = []
    for await (const span of finder.detect(inChunks(sound), { signal: neverAborted })) spans.push(span)
    return spans
  }

  it('finds start and pauses of a known speech', async () => {
    const spans = await spansIn(await readVoice(pathOf('kennedy'), decodeLimits))
    expect(spans[0]?.start).toBeCloseTo(0.3, 1)
    expect(spans.at(-1)?.end).toBeGreaterThan(10)
    const isSilent = (time: number) => !spans.some(({ start, end }) => time > start && time < end)
    expect([2.7, 4.9, 7.9].map(isSilent)).toEqual([true, true, true])
  })

  it('finds known pauses within tenths of a second, also with noise and music', async () => {
    const whole = await Promise.all((['austen', 'chinese', 'woman', 'reader'] as const).map(voiceOf))
    const voices = whole.map((voice) => voice.subarray(0, 5 * 16_000))
    const pauses = [1, 2, 0.8, 3]
    const clean = joined(...voices.flatMap((voice, at) => [silence(pauses[at] ?? 0), voice]), silence(2))
    const seconds = clean.length / 16_000
    // The reference is the result of each voice alone.
    let at = 0
    const known: TimeSpan[] = []
    for (const [index, voice] of voices.entries()) {
      at += pauses[index] ?? 0
      for (const { start, end } of await spansIn(voice)) known.push({ start: at + start, end: at + end })
      at += voice.length / 16_000
    }
    expectSpans(await spansIn(clean), known, { seconds, least: 0.97 })
    expectSpans(await spansIn(mixed(clean, noise(seconds, 0.008))), known, { seconds, least: 0.93 })
    expectSpans(await spansIn(mixed(clean, music(seconds, 0.012))), known, { seconds, least: 0.85 })
  })

  it('finds no speech in silence, noise and music', async () => {
    expect(await spansIn(joined(silence(5), noise(10, 0.1)))).toEqual([])
    const found = await spansIn(music(10, 0.1))
    expect(found.reduce((sum, { start, end }) => sum + end - start, 0)).toBeLessThan(1)
  })

  it('needs constant memory for minutes of sound', async () => {
    const voice = joined(await voiceOf('austen'), silence(0.9))
    const length = soakSize(150, 300)
    function* minutes() {
      for (let seconds = 0; seconds < length; seconds += voice.length / 16_000) yield* inChunks(voice, 8000)
    }
    let [count, last] = [0, 0]
    let after: number | undefined
    for await (const { start, end } of finder.detect(minutes(), { signal: neverAborted })) {
      expect(start).toBeGreaterThan(last)
      last = end
      count += 1
      if (count === 10) after = process.memoryUsage().rss
    }
    expect(count).toBeGreaterThan((35 / 300) * length)
    expect(process.memoryUsage().rss - (after ?? 0)).toBeLessThan(60e6)
  })

  it('stops when aborted', async () => {
    const ended = AbortSignal.abort(new Error('enough'))
    const spans = finder.detect(inChunks(silence(1)), { signal: ended })
    await expect(spans.next()).rejects.toThrow('enough')
  })
})

/** Expects a minimum precision and recall, in frames of 10 ms. */
function expectSpans(
  found: readonly TimeSpan[],
  known: readonly TimeSpan[],
  { seconds, least }: { seconds: number; least: number },
): void {
  const inside = (spans: readonly TimeSpan[], time: number) =>
    spans.some(({ start, end }) => time >= start && time < end)
  let [both, ours, theirs] = [0, 0, 0]
  for (let time = 0; time < seconds; time += 0.01) {
    const [one, other] = [inside(found, time), inside(known, time)]
    both += Number(one && other)
    ours += Number(one)
    theirs += Number(other)
  }
  expect(both / ours, 'precision').toBeGreaterThan(least)
  expect(both / theirs, 'recall').toBeGreaterThan(least)
}
