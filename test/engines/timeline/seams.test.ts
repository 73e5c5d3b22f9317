import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { locateFfmpeg, useFfmpeg } from '../../../src/engines/ffmpeg/locate.ts'
import { timelineSound } from '../../../src/engines/timeline/sound.ts'
import type { Timeline, TimelineClip } from '../../../src/media/timeline/timeline.ts'
import { fileIdOf, stageFiles } from '../../tasks/run-in-worker.ts'
import { sampleCases, soakSize } from '../../soak-size.ts'
import { ffmpeg } from '../../video-split-screen/media.ts'
import { scratchFolder, testdata } from '../ffmpeg/generate-media.ts'

const folder = await scratchFolder()
const rate = 48_000

/** A range of a file in the output: its start, its length in the output and its speed. */
interface Cut {
  readonly from: number
  readonly seconds: number
  readonly speed?: number
}

/** Returns the left channel of consecutive cuts of a file, crossfaded by lengths in ms or faded by the default. */
async function soundOf(
  path: string,
  cuts: readonly Cut[],
  fadeMs?: readonly number[],
): Promise<Float32Array> {
  let at = 0
  const clips = cuts.map(({ from, seconds, speed = 1 }, index): TimelineClip => {
    const track = { from: at, to: (at += seconds) }
    const source = { from, to: from + seconds * speed }
    return {
      requestPath: `clips[${index}]`,
      material: fileIdOf(path),
      source,
      track,
      speed,
      keepPitch: true,
      volume: 1,
    }
  })
  const frames = Math.round(at * 25)
  const timeline: Timeline = {
    ...{ width: 16, height: 16, rate: { num: 25, den: 1 }, seconds: at, frames, picture: [], sound: [clips] },
  }
  const sound = timelineSound({
    ...{ timeline, context: { files: await stageFiles([path]), scratch: folder } },
    ...{ signal: new AbortController().signal, timeoutMs: 60_000, fadeMs },
  })
  expect(sound.isMixed).toBe(cuts.some(({ speed = 1 }) => speed !== 1))
  const chunks: Uint8Array[] = []
  for await (const chunk of sound.input(new AbortController().signal)) chunks.push(Uint8Array.from(chunk))
  const bytes = Buffer.concat(chunks)
  expect(bytes.length).toBe(sound.samples * 8)
  expect(sound.samples).toBe((frames * rate) / 25)
  const both = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  return both.filter((_, index) => index % 2 === 0)
}

async function wav(name: string, filter: string, seconds = 8): Promise<string> {
  const path = join(folder, `${name}.wav`)
  await ffmpeg('-f', 'lavfi', '-i', filter, '-t', String(seconds), '-c:a', 'pcm_f32le', path)
  return path
}

/** Root mean square of windows of so many ms, in steps of a quarter of them. */
function levels(sound: Float32Array, { from, to }: { from: number; to: number }, windowMs = 20): number[] {
  const length = (windowMs * rate) / 1000
  const count = Math.floor(((to - from) * rate - length) / (length / 4)) + 1
  return Array.from({ length: count }, (_, index) => {
    const start = Math.round(from * rate + (index * length) / 4)
    const part = sound.subarray(start, start + length)
    return Math.sqrt(part.reduce((sum, value) => sum + value * value, 0) / part.length)
  })
}

/** Largest difference of neighbouring samples. */
function largestStep(sound: Float32Array): number {
  return sound.reduce(
    (most, value, index) => Math.max(most, index === 0 ? 0 : Math.abs(value - (sound[index - 1] ?? 0))),
    0,
  )
}

const decibels = (ratio: number) => 20 * Math.log10(ratio)

/** A tone of 400 Hz with amplitude 0.5: a cut of 2.5 ms more or less turns its phase by 360 degrees. */
const steady = "aevalsrc='0.5*sin(2*PI*400*t)':s=48000"

test.each(sampleCases([500, 30, 120, 5], 1))(
  'equal and shifted tones keep their level over a crossfade of %d ms',
  async (length) => {
    const path = await wav('steady', steady)
    for (const shift of [0, 0.625e-3]) {
      const sound = await soundOf(
        path,
        [
          { from: 1, seconds: 1 },
          { from: 4 + shift, seconds: 1 },
        ],
        [length],
      )
      const around = levels(sound, { from: 0.6, to: 1.4 }).map((level) =>
        decibels(level / (0.5 / Math.SQRT2)),
      )
      expect(Math.min(...around)).toBeGreaterThan(-0.5)
      expect(Math.max(...around)).toBeLessThan(0.5)
      // The steepest step of the tone itself is 0.5 * 2 * pi * 400 / 48000.
      expect(largestStep(sound.subarray(rate * 0.5, rate * 1.5))).toBeLessThan(1.2 * 0.0262)
    }
  },
)

/** Crossfades of different sounds. */
const differentSounds = {
  async 'noise keeps its level over every crossfade, also at other speeds'() {
    const path = await wav('noise', 'anoisesrc=a=0.3:c=white:r=48000:seed=5', 16)
    for (const speed of [1, 1.5]) {
      const cuts = [1, 5, 9, 13].map((from) => ({ from, seconds: 1, speed }))
      const sound = await soundOf(path, cuts, [500, 250, 0])
      const all = levels(sound, { from: 0, to: 4 }, 200)
      const mean = all.reduce((sum, level) => sum + level, 0) / all.length
      for (const level of all) expect(Math.abs(decibels(level / mean))).toBeLessThan(0.8)
    }
  },
  async 'different tones keep their level over a crossfade'() {
    const path = await wav('different', "aevalsrc='0.5*sin(2*PI*if(lt(t,3),400,1130)*t)':s=48000")
    const sound = await soundOf(
      path,
      [
        { from: 1, seconds: 1 },
        { from: 4, seconds: 1 },
      ],
      [200],
    )
    const around = levels(sound, { from: 0.7, to: 1.3 }, 30).map((level) =>
      decibels(level / (0.5 / Math.SQRT2)),
    )
    expect(Math.min(...around)).toBeGreaterThan(-0.7)
    expect(Math.max(...around)).toBeLessThan(0.7)
    expect(largestStep(sound.subarray(rate * 0.5, rate * 1.5))).toBeLessThan(
      0.5 * 2 * Math.PI * (1130 / rate) * 1.1,
    )
  },
}

test.each(sampleCases(Object.entries(differentSounds), 1))('%s', async (_, check) => await check())

test('opposite tones, which cancel each other, overlap only briefly', async () => {
  const path = await wav('steady', steady)
  const sound = await soundOf(
    path,
    [
      { from: 1, seconds: 1 },
      { from: 4.00125, seconds: 1 },
    ],
    [300],
  )
  const quiet = levels(sound, { from: 0.7, to: 1.3 }, 5).filter((level) => level < 0.25).length
  expect(quiet * 1.25).toBeLessThan(12)
  expect(largestStep(sound.subarray(rate * 0.5, rate * 1.5))).toBeLessThan(1.2 * 0.0262)
})

test('the sound beyond the cuts is borrowed, and outside of crossfades nothing changes', async () => {
  // Its value says the time in the file.
  const path = await wav('ramp', "aevalsrc='t/16':s=48000", 10)
  const cuts = [
    { from: 1, seconds: 1 },
    { from: 4, seconds: 1 },
    { from: 9.9, seconds: 0.1 },
    { from: 0.05, seconds: 1 },
  ]
  const sound = await soundOf(path, cuts, [400, 300, 500])
  const at = (seconds: number) => 16 * (sound[Math.round(seconds * rate)] ?? 0)
  expect(at(0.79)).toBeCloseTo(1.79, 3)
  expect(at(1.21)).toBeCloseTo(4.21, 3)
  const middle = at(1)
  expect(middle).toBeGreaterThan(2)
  expect(middle).toBeLessThan(4)
  // Before the crossfade of 100 ms, as the third clip is only so long.
  expect(at(1.94)).toBeCloseTo(4.94, 3)
  // The file ends with the third clip: there is nothing to borrow, and both sides fade.
  expect(at(2.1)).toBeCloseTo(0, 1)
  expect(at(2.105)).toBeCloseTo(0.055, 3)
})

test.each(['rubberband', 'atempo'])(
  'sound beyond the cuts is not heard in retimed sound that keeps its pitch, by %s',
  async (filter) => {
    const located = await locateFfmpeg()
    onTestFinished(() => useFfmpeg(located))
    if (filter === 'atempo')
      useFfmpeg({
        ...located,
        filters: new Set([...located.filters].filter((name) => name !== 'rubberband')),
      })
    const path = await wav('gap', "aevalsrc='if(between(t,2,3),0,0.9*(2*random(0)-1))':s=48000", 5)
    for (const speed of sampleCases([0.8, 1.25], 1)) {
      const sound = await soundOf(path, [{ from: 2, seconds: 1 / speed, speed }])
      const peak = sound.subarray(0.003 * rate).reduce((most, value) => Math.max(most, Math.abs(value)), 0)
      expect(decibels(peak), `at speed ${speed}`).toBeLessThan(-50)
    }
  },
)

test('clips that continue each other have no crossfade', async () => {
  const path = await wav('ramp', "aevalsrc='t/16':s=48000", 10)
  const sound = await soundOf(
    path,
    [
      { from: 1, seconds: 1 },
      { from: 2, seconds: 1 },
      { from: 6, seconds: 1 },
    ],
    [500, 100],
  )
  for (const seconds of [0.9, 1, 1.1])
    expect(16 * (sound[Math.round(seconds * rate)] ?? 0)).toBeCloseTo(1 + seconds, 3)
  expect(16 * (sound[Math.round(1.94 * rate)] ?? 0)).toBeCloseTo(2.94, 3)
  expect(16 * (sound[Math.round(2.06 * rate)] ?? 0)).toBeCloseTo(6.06, 3)
})

const speech = testdata('speech')
const recording =
  speech &&
  readdirSync(speech, { recursive: true, encoding: 'utf8' }).find((name) =>
    /\.(wav|flac|mp3|ogg)$/u.test(name),
  )

test.skipIf(!recording)('speech has no click and no dip at a seam (REELWRIGHT_TESTDATA)', async () => {
  const path = join(folder, 'speech.wav')
  await ffmpeg('-i', join(speech ?? '', recording ?? ''), '-t', '6', '-ar', '48000', '-ac', '1', path)
  // In `npm test` one seam.
  const seams = soakSize([0.6], [0.6, 1.2, 1.8])
  const cuts = [0.6, 3.1, 1.4, 4.2].slice(0, seams.length + 1).map((from) => ({ from, seconds: 0.6 }))
  const [crossfaded, hard] = await Promise.all([
    soundOf(path, cuts, [30, 60, 120].slice(0, seams.length)),
    soundOf(path, cuts),
  ])
  const source = await soundOf(path, [{ from: 0, seconds: 5.6 }])
  for (const [index, at] of seams.entries()) {
    const half = [15, 30, 60][index] ?? 0
    const [first, second] = [cuts[index], cuts[index + 1]]
    const range = (from: number) => source.subarray((from - half / 1000) * rate, (from + half / 1000) * rate)
    const [before, after] = [range((first?.from ?? 0) + 0.6), range(second?.from ?? 0)]
    const seam = crossfaded.subarray((at - half / 1000) * rate, (at + half / 1000) * rate)
    // The power of the seam is the weighted mean of the powers of both sounds.
    const expected = seam.reduce((sum, _, n) => {
      const way = ((n + 0.5) / seam.length) * (Math.PI / 2)
      return sum + ((before[n] ?? 0) * Math.cos(way)) ** 2 + ((after[n] ?? 0) * Math.sin(way)) ** 2
    }, 0)
    const power = seam.reduce((sum, value) => sum + value * value, 0)
    expect(Math.abs(10 * Math.log10(power / expected))).toBeLessThan(1)
    expect(largestStep(seam)).toBeLessThan(1.3 * Math.max(largestStep(before), largestStep(after)))
  }
  expect(crossfaded.length).toBe(hard.length)
})
