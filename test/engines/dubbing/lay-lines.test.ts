import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { layLines, type LaidLine } from '../../../src/engines/dubbing/lay-lines.ts'
import { readMediaTags } from '../../../src/engines/ffmpeg/media-tags.ts'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { resample } from '../../../src/media/audio/resample.ts'
import { soundSpan } from '../../../src/media/speech/speech-assembler.ts'
import type { MonoAudio } from '../../../src/media/speech/speech-types.ts'
import { correlation } from '../../recordings/find-sound.ts'
import { canSpeak } from '../../recordings/speak.ts'
import { sampleCases, soakSize } from '../../soak-size.ts'
import { scratchFolder } from '../ffmpeg/generate-media.ts'
import { neverAborted } from '../speech/recordings.ts'
import { largestStep, levelOf, loudnessOf, rate, readMonoWav, sentences, sine, spoken } from './sounds.ts'

const folder = await scratchFolder()
const path = join(folder, 'dub.wav')

function line(speech: MonoAudio, start: number, more: Partial<LaidLine> = {}): LaidLine {
  return { read: () => Promise.resolve(speech), start, speed: 1, length: 10 * rate, ...more }
}

async function lay(lines: readonly LaidLine[], seconds: number) {
  const spans = await layLines(lines, { path, duration: seconds * rate, signal: neverAborted })
  const sound = await readMonoWav(path)
  expect(sound.length).toBe(seconds * rate)
  expect((await readdir(folder)).filter((name) => name.startsWith('unfinished'))).toEqual([])
  return { spans, sound }
}

/** Speech that is laid at speed 1, without its level and fades. */
function laidSpeech({ samples, rate: own }: MonoAudio): Float32Array {
  const { from, to } = soundSpan(samples, own)
  return resample({ samples: samples.subarray(from, to), rate: own }, rate)
}

/** Offset within 20 ms at which a part of a sound correlates best with another one, samples, and the correlation. */
function bestOffset(whole: Float32Array, part: Float32Array, from: number) {
  let best = { offset: 0, likeness: -1 }
  for (let offset = -960; offset <= 960; offset += 1) {
    const likeness = correlation({ whole, from: from + offset }, part, 7)
    if (likeness > best.likeness) best = { offset, likeness }
  }
  return best
}

/** Energy before each sample: windows that overlap have their levels by differences. */
function energies(samples: Float32Array): Float64Array {
  const sums = new Float64Array(samples.length + 1)
  for (const [at, sample] of samples.entries()) sums[at + 1] = (sums[at] ?? 0) + sample * sample
  return sums
}

/** Levels of 1,000 windows of 10 ms, one each `step` samples, at least -60 dBFS. `sums`: energies of the sound. */
function levelsOf(sums: Float64Array, from: number, step: number): Float32Array {
  const sumAt = (sample: number) => sums[Math.min(sample, sums.length - 1)] ?? 0
  return Float32Array.from({ length: 1000 }, (_, index) => {
    const first = Math.round(from + index * step)
    const power = (sumAt(first + rate / 100) - sumAt(first)) / (rate / 100)
    return Math.max(-60, 10 * Math.log10(power))
  })
}

/** Frequencies of a tone in windows of 100 ms, by its rising zero crossings, ascending. */
function pitchesOf(tone: Float32Array): number[] {
  const pitches: number[] = []
  for (let from = 1; from + 4800 < tone.length; from += 2400) {
    const crossings: number[] = []
    for (let at = from; at < from + 4800; at += 1) {
      const [before, after] = [tone[at - 1] ?? 0, tone[at] ?? 0]
      if (before < 0 && after >= 0) crossings.push(at - 1 + before / (before - after))
    }
    pitches.push(((crossings.length - 1) * rate) / ((crossings.at(-1) ?? 0) - (crossings[0] ?? 0)))
  }
  return pitches.toSorted((one, other) => one - other)
}

/** Highest sample. */
const peakOf = (sound: Float32Array) => sound.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)

describe.skipIf(!canSpeak)('lines of a dub (espeak-ng)', () => {
  it('start at their samples, and nothing is heard between them', async () => {
    const voices = await Promise.all(sentences.map((text) => spoken(text)))
    const starts = [4801, 5 * rate + 17, 10 * rate + 333, 15 * rate - 1]
    const lines = voices.map((voice, index) => line(voice, starts[index] ?? 0))
    const { spans, sound } = await lay(lines.toReversed(), 20)
    for (const [index, voice] of voices.entries()) {
      const speech = laidSpeech(voice)
      const start = starts[index] ?? 0
      expect(spans[index]).toEqual({ from: start, to: start + speech.length })
      const { offset, likeness } = bestOffset(sound, speech.subarray(0, rate), start)
      expect(offset).toBe(0)
      expect(likeness).toBeGreaterThan(0.999)
      const end = spans[index]?.to ?? 0
      const next = starts[index + 1] ?? sound.length
      expect(sound.subarray(end, next).every((sample) => sample === 0)).toBe(true)
      // Edges are no steps: the quietest speech has larger ones.
      expect(largestStep(sound.subarray(start - 1, start + 24))).toBeLessThan(0.002)
      expect(largestStep(sound.subarray(end - 24, end + 1))).toBeLessThan(0.002)
    }
  })

  it.each(sampleCases([1.3, 0.95, 1.05, 1.15], 1))(
    'keep their start and have their length at speed %d',
    async (speed) => {
      const voice = await spoken(sentences[1])
      const speech = laidSpeech(voice)
      const { spans, sound } = await lay([line(voice, 2 * rate + 5, { speed })], 8)
      const length = Math.round(speech.length / speed)
      expect(spans).toEqual([{ from: 2 * rate + 5, to: 2 * rate + 5 + length }])
      // The filter copies the first 20 ms, and moves later sounds by some milliseconds.
      const { offset, likeness } = bestOffset(sound, speech.subarray(240, 960), 2 * rate + 245)
      expect(offset).toBe(0)
      expect(likeness).toBeGreaterThan(0.99)
      const expected = levelsOf(energies(speech), 0, 96)
      const heard = energies(sound)
      const scores = Array.from({ length: 61 }, (_, index) => {
        const shifted = levelsOf(heard, 2 * rate + 5 + (index - 30) * 48, 96 / speed)
        return correlation({ whole: shifted, from: 0 }, expected, 1)
      })
      expect(Math.abs(scores.indexOf(Math.max(...scores)) - 30)).toBeLessThanOrEqual(15)
      expect(levelOf(sound, 0, 2)).toBe(-Infinity)
      expect(levelOf(sound, 2 + (length + 10) / rate, 8)).toBe(-Infinity)
    },
  )

  it('have the same loudness within 2 LU, however loud they were', async () => {
    const levels = [0.02, 0.3, 1, 2]
    const lines = await Promise.all(
      sentences.map(async (text, index) => {
        const { samples, rate: own } = await spoken(text, index % 2 === 0 ? 'en-us' : 'en-us+f3')
        const factor = levels[index] ?? 1
        return line({ samples: samples.map((sample) => sample * factor), rate: own }, index * 5 * rate)
      }),
    )
    const { spans, sound } = await lay(lines, 20)
    const loudness = spans.map(({ from, to }) => loudnessOf(sound.subarray(from, to)))
    expect(Math.max(...loudness) - Math.min(...loudness)).toBeLessThan(2)
    expect(peakOf(sound)).toBeLessThan(0.85)
  })
})

describe('tones as lines of a dub', () => {
  it.each(sampleCases([0.95, 1, 1.1, 1.2, 1.3], 1))('keep their pitch at speed %d', async (speed) => {
    const { spans, sound } = await lay([line({ samples: sine(440, 3), rate }, 1000, { speed })], 4)
    const [span = { from: 0, to: 0 }] = spans
    expect(span.to - span.from).toBe(Math.round((3 * rate) / speed))
    const pitches = pitchesOf(sound.subarray(span.from + rate / 4, span.to - rate / 4))
    expect(Math.abs((pitches[pitches.length >> 1] ?? 0) - 440)).toBeLessThan(1)
    expect(pitches[0]).toBeGreaterThan(438)
    expect(pitches.at(-1)).toBeLessThan(442)
  })

  it('lose their tails at their length, at the next line and at the end, without clicks', async () => {
    const tone = { samples: sine(200, 3), rate }
    const lines = [
      line(tone, 0, { length: rate }),
      line(tone, 2 * rate),
      line(tone, 4 * rate, { speed: 1.2 }),
      line(tone, 4 * rate + 480, { length: 0 }),
    ]
    const { spans, sound } = await lay(lines, 6)
    expect(spans).toEqual([
      { from: 0, to: rate },
      { from: 2 * rate, to: 4 * rate },
      { from: 4 * rate, to: 4 * rate + 480 },
    ])
    // The steepest step of the tone itself.
    const steepest = peakOf(sound) * 2 * Math.PI * (200 / rate)
    expect(largestStep(sound)).toBeLessThan(1.3 * steepest)
    for (const { to } of spans) expect(Math.abs(sound[to - 1] ?? 1)).toBeLessThan(0.005)
  })

  it('are mono PCM of 48 kHz that is marked as generated; without lines they are silent', async () => {
    const { sound } = await lay([line({ samples: new Float32Array(rate), rate }, 0)], 2)
    expect(sound.every((sample) => sample === 0)).toBe(true)
    expect((await probe(path)).audio).toMatchObject([{ codec: 'pcm_s16le', channels: 1, sample_rate: rate }])
    expect(await readMediaTags(path)).toMatchObject({ comment: expect.stringContaining('AI-generated') })
  })
})

describe('many lines of a dub', () => {
  const beeps = (count: number, speed: number, seen: () => void = () => {}) =>
    Array.from({ length: count }, (_, index) => ({
      ...{ start: index * 24_000, speed, length: rate },
      read: () => {
        seen()
        return Promise.resolve({ samples: sine(300 + index, 0.3), rate })
      },
    }))

  it('take one program for each 64 lines', async () => {
    const batches: number[] = []
    const [lines, expected] = soakSize([70, [64, 70]], [200, [64, 128, 192, 200]])
    const options = { path, duration: lines * 24_000, signal: neverAborted }
    const spans = await layLines(beeps(lines, 1.1), { ...options, onLines: (count) => batches.push(count) })
    expect(batches).toEqual(expected)
    expect(spans).toHaveLength(lines)
    const sound = await readMonoWav(path)
    for (const [index, { from, to }] of spans.entries()) {
      expect(from).toBe(index * 24_000)
      expect(to - from).toBe(Math.round((0.3 * rate) / 1.1))
      expect(levelOf(sound, from / rate, to / rate)).toBeGreaterThan(-30)
    }
  })

  it('end with an abort, and leave nothing', async () => {
    const stop = new AbortController()
    const own = await scratchFolder()
    let read = 0
    const lines = beeps(2000, 1, () => (read += 1))
    const laying = layLines(lines, {
      ...{ path: join(own, 'dub.wav'), duration: 2000 * 24_000, signal: stop.signal },
      onLines: () => stop.abort(new Error('enough')),
    })
    await expect(laying).rejects.toThrow('enough')
    expect(read).toBeLessThan(400)
    expect(await readdir(own)).toEqual([])
  })

  it('pass on the failure of a line, and ignore what a killed attempt has left', async () => {
    const own = await scratchFolder()
    const target = join(own, 'dub.wav')
    await writeFile(join(own, 'unfinished-dub.wav'), 'half of a file')
    const options = { path: target, duration: rate, signal: neverAborted }
    const broken = {
      ...line({ samples: sine(300, 1), rate }, 0),
      read: () => Promise.reject(new Error('lost')),
    }
    await expect(layLines([broken], options)).rejects.toThrow('lost')
    expect(await readdir(own)).toEqual([])
    await layLines([], options)
    expect((await readMonoWav(target)).length).toBe(rate)
  })
})
