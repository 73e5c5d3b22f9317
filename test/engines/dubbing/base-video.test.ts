import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Rational } from '../../../src/contract/media-facts.ts'
import type { StagedFile } from '../../../src/contract/operation.ts'
import { extendVideo } from '../../../src/engines/dubbing/base-video.ts'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import type { FreezePoint } from '../../../src/media/dubbing/held-frames.ts'
import { frameTime, hertz } from '../../../src/media/frame-rate.ts'
import { readFrameNumbers } from '../../recordings/frame-marks.ts'
import { sampleCases } from '../../soak-size.ts'
import { generateMedia, scratchFolder, setRotation } from '../ffmpeg/generate-media.ts'
import { neverAborted } from '../speech/recordings.ts'
import { lowerLevels, markedVideo, remux, staged, whiteBox } from './marked-video.ts'

const folder = await scratchFolder()
let runs = 0

/** Extends a video in new folders and returns the result, which leaves nothing in its scratch folder. */
async function extend(file: StagedFile, points: readonly FreezePoint[], subtitles?: string) {
  const own = join(folder, `run-${(runs += 1)}`)
  const [scratch, steps, path] = [join(own, 'scratch'), join(own, 'steps'), join(own, 'base.mp4')]
  for (const each of [scratch, steps]) await mkdir(each, { recursive: true })
  const shares: number[] = []
  const result = await extendVideo(file, points, {
    ...{ path, scratch, steps, threads: 2, signal: neverAborted },
    ...(subtitles !== undefined && { subtitles }),
    onShare: (share) => shares.push(share),
  })
  expect(await readdir(scratch)).toEqual([])
  expect(await readdir(own)).toEqual(expect.arrayContaining(['base.mp4', 'scratch', 'steps']))
  expect(shares).toEqual(shares.toSorted((one, other) => one - other))
  expect(shares.at(-1)).toBe(1)
  const facts = await probe(path)
  expect(facts.audio).toEqual([])
  expect(facts.video?.steady_rate).toEqual(result.rate)
  expect(facts.video?.start_ms).toBe(0)
  expect(Math.abs(facts.duration_ms - 1000 * frameTime(result.frames, result.rate))).toBeLessThan(1)
  return { ...result, path, facts, numbers: await readFrameNumbers(path) }
}

/** Numbers of frames, some of which are repeated. */
function repeated(numbers: readonly (number | null)[], held: Readonly<Record<number, number>>) {
  return numbers.flatMap((number, index) => Array.from({ length: 1 + (held[index] ?? 0) }, () => number))
}

const rates: readonly Rational[] = [
  { num: 30_000, den: 1001 },
  { num: 25, den: 1 },
  { num: 60, den: 1 },
]

describe.each(sampleCases(rates, 1))('held frames of a video with $num/$den frames per second', (rate) => {
  const seconds = 8
  const count = Math.ceil(seconds * hertz(rate))
  const own = Array.from({ length: count }, (_, frame) => frame)
  const ms = (frames: number) => Math.round(1000 * frameTime(frames, rate))
  /** After frame 0, in the middle, twice after one frame, and after the last one. */
  const points = [
    { at: ms(1), ms: ms(2) },
    { at: ms(100), ms: ms(5) },
    { at: ms(150), ms: ms(1) },
    { at: ms(150), ms: ms(3) },
    { at: ms(count), ms: ms(4) },
  ]
  const held = { 0: 2, 99: 5, 149: 4, [count - 1]: 4 }
  const name = `marks-${rate.num}`

  it.each(sampleCases([true, false], 1))(
    'are exactly those of the points; with subtitles: %s',
    async (hasText) => {
      const file = await staged(await markedVideo(folder, name, rate, seconds))
      const subtitles = hasText ? whiteBox('0:00:02.00', '0:00:06.50') : undefined
      const { numbers, frames, path, rate: given } = await extend(file, points, subtitles)
      expect(given).toEqual(rate)
      expect(numbers).toEqual(repeated(own, held))
      expect(frames).toBe(count + 15)
      // Subtitles are at the times of the output.
      const shown = (await lowerLevels(path)).map((level) => level > 230)
      const isShown = (time: number) => time >= 2 - 1e-9 && time < 6.5 - 1e-9
      if (hasText) expect(shown).toEqual(shown.map((_, frame) => isShown(frameTime(frame, rate))))
    },
  )
})

describe('held frames of other videos', () => {
  const rate = { num: 30, den: 1 }
  const marks = () => markedVideo(folder, 'marks', rate, 8)

  it('are exact where the rate varies', async () => {
    const path = await remux(await marks(), join(folder, 'variable.mp4'), {
      after: [
        ...['-vf', String.raw`select='lt(t\,3)+gt(t\,5)+not(mod(n\,3))'`, '-fps_mode', 'vfr'],
        ...['-c:v', 'libx264', '-crf', '18', '-c:a', 'copy'],
      ],
    })
    const file = await staged(path)
    expect(file.facts?.video?.variable_rate).toBe(true)
    const shown = Array.from({ length: 240 }, (_, frame) =>
      frame < 90 || frame > 150 ? frame : frame - (frame % 3),
    )
    const points = [
      { at: 3500, ms: 100 },
      { at: 6000, ms: 500 },
    ]
    const held = [
      [points, { 104: 3, 179: 15 }],
      [[], {}],
    ] as const
    for (const [at, repetitions] of sampleCases(held, 1)) {
      const { numbers, rate: constant } = await extend(file, at)
      expect(constant).toEqual(rate)
      expect(numbers).toEqual(repeated(shown, repetitions))
    }
  })

  it.each(sampleCases(['picture', 'sound'] as const, 1))(
    'are exact where the %s starts late; the picture is shown from the start',
    async (late) => {
      const source = await marks()
      const inputs =
        late === 'picture'
          ? ['-itsoffset', '0.5', '-i', source, '-i', source]
          : ['-i', source, '-itsoffset', '0.73', '-i', source]
      const path = await generateMedia(join(folder, `late-${late}.mp4`), [
        ...[...inputs, '-map', '0:v', '-map', '1:a', '-c', 'copy'],
      ])
      const file = await staged(path)
      const { video, audio } = file.facts ?? {}
      if (late === 'picture') expect(video?.start_ms).toBe(500)
      else expect(audio?.[0]?.start_ms).toBeGreaterThan(700)
      const before = late === 'picture' ? 15 : 0
      const shown = Array.from({ length: 240 + before }, (_, frame) => Math.max(0, frame - before))
      const { numbers } = await extend(file, [{ at: 4000, ms: 200 }])
      expect(numbers).toEqual(repeated(shown, { 119: 6 }))
    },
  )

  it('are exact at 300 points', async () => {
    const file = await staged(await markedVideo(folder, 'long', { num: 25, den: 1 }, 25))
    const points = Array.from({ length: 300 }, (_, index) => ({
      at: 80 * (index + 1),
      ms: 40 * (1 + (index % 3)),
    }))
    const held = Object.fromEntries(points.map(({ at, ms }) => [at / 40 - 1, ms / 40]))
    const { numbers, frames } = await extend(file, points)
    expect(numbers).toEqual(
      repeated(
        Array.from({ length: 625 }, (_, frame) => frame),
        held,
      ),
    )
    expect(frames).toBe(625 + 600)
  })

  it('have the size, orientation and colours of the source', async () => {
    const colours = ['-colorspace', 'smpte170m', '-color_primaries', 'smpte170m', '-color_trc', 'smpte170m']
    const path = await remux(await marks(), join(folder, 'colours.mp4'), {
      after: [
        '-c:v',
        'libx264',
        '-crf',
        '12',
        ...colours,
        '-vf',
        'setsar=4/3,scale=160:96',
        '-an',
        '-t',
        '2',
      ],
    })
    const file = await staged(await setRotation(path, 90))
    expect(file.facts?.video).toMatchObject({
      width: 96,
      height: 213,
      rotation: 90,
      color_space: 'smpte170m',
    })
    const { facts } = await extend(file, [{ at: 1000, ms: 100 }])
    // The same shape: its pixels are the same, turned.
    expect(facts.video).toMatchObject({ width: 72, height: 160, rotation: 0, color_space: 'smpte170m' })
    expect(facts.video).toMatchObject({ coded_width: 96, coded_height: 160, codec: 'h264' })
    expect(facts.video?.sample_aspect_ratio).toEqual({ num: 3, den: 4 })
  })
})

describe('an interrupted attempt', () => {
  it('leaves its finished parts, which the next one uses, and no result', async () => {
    const file = await staged(await markedVideo(folder, 'interrupted', { num: 25, den: 1 }, 9))
    const own = join(folder, 'interrupted')
    const [scratch, steps] = [join(own, 'scratch'), join(own, 'steps')]
    for (const each of [scratch, steps]) await mkdir(each, { recursive: true })
    const path = join(steps, 'base.mp4')
    const stop = new AbortController()
    const options = { path, scratch, steps, threads: 1 }
    const points = [{ at: 1000, ms: 400 }]
    const started = extendVideo(file, points, {
      ...{ ...options, signal: stop.signal },
      // In the second of two parts.
      onShare: (share) => share > 0.6 && stop.abort(new Error('enough')),
    })
    await expect(started).rejects.toThrow('enough')
    expect(await readdir(scratch)).toEqual([])
    const kept = (await readdir(steps)).filter((name) => name.startsWith('part-'))
    expect(kept.length).toBeGreaterThan(0)
    expect(await readdir(steps)).not.toContain('base.mp4')
    const times = () => Promise.all(kept.map(async (name) => (await stat(join(steps, name))).mtimeMs))
    const before = await times()
    await writeFile(join(steps, 'unfinished-base.mp4'), 'half of a file')
    await extendVideo(file, points, { ...options, signal: neverAborted })
    expect(await times()).toEqual(before)
    expect(await readFrameNumbers(path)).toHaveLength(235)
    // Other points make other parts.
    await extendVideo(file, [{ at: 2000, ms: 80 }], { ...options, signal: neverAborted })
    expect(await readFrameNumbers(path)).toHaveLength(227)
  })

  it('is not made without a picture', async () => {
    const sound = await staged(
      await generateMedia(join(folder, 'sound.wav'), ['-f', 'lavfi', '-i', 'sine=d=1']),
    )
    await expect(extend(sound, [])).rejects.toMatchObject({ code: 6014 })
  })
})
