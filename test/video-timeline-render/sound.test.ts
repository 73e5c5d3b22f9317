import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeSampledWav } from '../engines/float-wav.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { seededRandom } from '../service/kill-rounds.ts'
import { soakSize, sampleCases } from '../soak-size.ts'
import { amplitude, counter, ffmpeg, grey, samples, streams } from '../video-split-screen/media.ts'
import { clipAt, consecutiveClips, render, renderSamples, request } from './render.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const at = (name: string) => join(folder.path, name)
const small = { width: 160, height: 90, seconds: 2, rate: '5' }

/** Creates two files with 0.1 s of white and of a 1 kHz tone at every whole second. */
async function flashAndBeep() {
  const white = "drawbox=c=white:t=fill:enable='lt(mod(t,1),0.099)'"
  const coding = ['-t', '6', '-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50']
  await ffmpeg(
    ...['-f', 'lavfi', '-i', `color=black:s=160x90:r=25,format=yuv420p,${white}`],
    ...['-f', 'lavfi', '-i', "aevalsrc='0.5*sin(2*PI*1000*t)*lt(mod(t,1),0.1)':s=44100"],
    ...[...coding, '-c:a', 'aac', at('flash.mp4')],
    ...[...coding, '-c:a', 'libmp3lame', at('flash.mkv')],
  )
}

beforeAll(async () => {
  folder = await temporaryFolder()
  await Promise.all([
    flashAndBeep(),
    counter(at('silent.mkv'), { ...small, seconds: 4 }),
    counter(at('low.mkv'), { ...small, hertz: 440 }),
    counter(at('high.mkv'), { ...small, hertz: 2500 }),
    writeSampledWav(at('mono.wav'), { seconds: 4 }, (time) => 0.5 * Math.sin(2 * Math.PI * 1000 * time)),
    ffmpeg(
      ...['-f', 'lavfi', '-i', 'aevalsrc=0.1*sin(2*PI*500*t)|0|0.2*sin(2*PI*1500*t)|0|0|0:s=48000:c=5.1'],
      ...['-t', '4', at('surround.flac')],
    ),
  ])
})
afterAll(() => folder[Symbol.asyncDispose]())

/** Returns the times, in seconds, at which a signal exceeds a threshold after at least 0.2 s below it. */
function onsets(levels: ArrayLike<number>, perSecond: number, threshold: number): number[] {
  const times: number[] = []
  let last = -Infinity
  for (let index = 0; index < levels.length; index += 1) {
    if (Math.abs(levels[index] ?? 0) < threshold) continue
    if (index - last > 0.2 * perSecond) times.push(index / perSecond)
    last = index
  }
  return times
}

/** Returns the times of the white flashes in a video, seconds. */
async function flashes(path: string, rate: number): Promise<number[]> {
  const pixels = await grey(path)
  const middle = 160 * 45 + 80
  const levels = Array.from(
    { length: pixels.length / (160 * 90) },
    (_, index) => pixels[index * 160 * 90 + middle] ?? 0,
  )
  return onsets(levels, rate, 128)
}

describe('sound and picture', () => {
  const cutCount = soakSize(4, 40)

  it(`stay in sync to one frame at each of ${cutCount} cuts`, async () => {
    const random = seededRandom(7)
    const cuts = Array.from({ length: cutCount }, (_, index) => ({
      path: at(index % 2 ? 'flash.mkv' : 'flash.mp4'),
      // Each starts before a flash and ends a while after it.
      from: 1 + Math.floor(random() * 5) - 0.12 - random() * 0.3,
      seconds: 0.7 + random() * 0.1,
    }))
    const { path } = await render(request({ rate: 30, picture: consecutiveClips(cuts) }), folder.path)
    const flashTimes = await flashes(path, 30)
    const beepTimes = onsets(await samples(path), 48_000, 0.05)
    expect(flashTimes).toHaveLength(cutCount)
    expect(beepTimes).toHaveLength(cutCount)
    for (const [index, time] of flashTimes.entries()) {
      expect(Math.abs(time - (beepTimes[index] ?? 0)), `cut ${index}`).toBeLessThanOrEqual(1 / 30)
    }
  })

  const speeds = [
    [0.25, false],
    [0.25, true],
    [1.3, true],
    [4.9, true],
  ] as const

  it.each(sampleCases(speeds, 1))('stay in sync at speed %d, keep_pitch: %s', async (speed, keep_pitch) => {
    const cuts = [{ path: at('flash.mp4'), from: 0.6, seconds: 2.6 / speed, speed, keep_pitch }]
    const sound = await renderSamples(
      request({ rate: 50, picture: consecutiveClips([0.3, ...cuts]) }),
      folder.path,
    )
    for (const beep of [1, 2, 3]) {
      // Retiming that keeps the pitch blurs an onset over its windows, but not the centre of a sound.
      const expected = 0.3 + (beep + 0.05 - 0.6) / speed
      expect(Math.abs(energyCentre(sound, expected, 0.3 / speed) - expected), `beep ${beep}`).toBeLessThan(
        1 / 30,
      )
    }
  })
})

/** Returns the energy-weighted mean time of a sound within `radius` of a time, all in seconds. */
function energyCentre(sound: Float32Array, time: number, radius: number): number {
  const from = Math.max(0, Math.round((time - radius) * 48_000))
  let energy = 0
  let weighted = 0
  for (const [index, level] of sound.subarray(from, Math.round((time + radius) * 48_000)).entries()) {
    energy += level ** 2
    weighted += level ** 2 * (from + index)
  }
  return weighted / energy / 48_000
}

/** Renders sound, by default over black, to measure it. */
async function renderTimelineSound(body: Parameters<typeof request>[0]) {
  const { path } = await render(request({ duration: 2, ...body }), folder.path)
  const sound = await samples(path)
  return { path, sound, level: levelIn(sound) }
}

/** Mixes sound without limiting and encoding it. */
async function mixTimelineSound(body: Parameters<typeof request>[0]) {
  const sound = await renderSamples(request({ duration: 2, ...body }), folder.path)
  return { sound, level: levelIn(sound) }
}

/** Returns a function that measures a frequency between two times, seconds. */
function levelIn(sound: Float32Array) {
  return (hertz: number, from = 0.2, to = 1.8) => amplitude(sound.subarray(from * 48_000, to * 48_000), hertz)
}

const tone = { path: '', from: 0, seconds: 2 }

describe('the sound of a result', () => {
  it('is AAC, 48 kHz stereo, with exactly the length of the output, even if it is silent', async () => {
    const { path, sound } = await renderTimelineSound({
      picture: consecutiveClips([{ ...tone, path: at('silent.mkv') }]),
    })
    const audio = (await streams(path)).find((stream) => stream['codec_type'] === 'audio')
    expect(audio).toMatchObject({ codec_name: 'aac', sample_rate: '48000', channels: 2 })
    expect(Number(audio?.['duration'])).toBeCloseTo(2, 3)
    expect(Math.max(...sound.map(Math.abs))).toBe(0)
  })

  it('mixes the base track and all audio tracks, including videos, at their volumes', async () => {
    const { level } = await mixTimelineSound({
      picture: consecutiveClips([{ ...tone, path: at('low.mkv') }]),
      sound: [
        [clipAt(0, { ...tone, path: at('mono.wav'), volume: 0.5 })],
        [clipAt(0, { ...tone, path: at('high.mkv'), volume: 0.2 })],
      ],
    })
    // Each source reaches half of full scale. The mix stays below the limit.
    expect(level(440)).toBeCloseTo(0.5, 1)
    expect(level(1000)).toBeCloseTo(0.25, 1.5)
    expect(level(2500)).toBeCloseTo(0.1, 1.5)
  })

  it('uses muted and volume of a clip, or else of its track', async () => {
    const video = [
      { ...clipAt(0, { ...tone, seconds: 1, path: at('low.mkv') }), muted: false },
      clipAt(1, { ...tone, seconds: 1, path: at('high.mkv') }),
    ]
    const audio = [
      { ...clipAt(0, { ...tone, seconds: 1, path: at('mono.wav') }), volume: 0.8 },
      clipAt(1, { ...tone, seconds: 1, path: at('mono.wav') }),
    ]
    const body = {
      picture: video,
      sound: [audio],
      more: {
        video_track: [
          { track_index: 3, muted: true, track_timeline: video },
          { track_index: 9, track_timeline: [clipAt(0, { ...tone, path: at('high.mkv') })] },
        ],
        audio_track: [{ track_index: 0, volume: 0.4, track_timeline: audio }],
      },
    }
    const { level } = await mixTimelineSound(body)
    expect([440, 2500].map((hertz) => level(hertz, 0.1, 0.9) > 0.2)).toEqual([true, false])
    expect(level(1000, 0.1, 0.9)).toBeCloseTo(0.4, 1)
    expect(level(440, 1.1, 1.9) + level(2500, 1.1, 1.9)).toBeLessThan(0.01)
    expect(level(1000, 1.1, 1.9)).toBeCloseTo(0.2, 1.5)
  })

  it('follows the speed in pitch unless keep_pitch is set, is muted above speed 5, is mixed down to two channels, and includes sound that starts later than its picture', async () => {
    const late = ['-itsoffset', '2.5', '-i', at('mono.wav'), '-t', '4', '-c:v', 'copy', '-c:a', 'pcm_s16le']
    await ffmpeg('-i', at('silent.mkv'), ...late, at('late.mkv'))
    const slow = { ...tone, path: at('mono.wav'), speed: 0.5 }
    const fast = { path: at('mono.wav'), from: 0, seconds: 0.6, speed: 5 }
    // One after another on one track, because each track is decoded by a process of its own.
    const clips = [
      ...[clipAt(0, slow), clipAt(2, { ...slow, keep_pitch: true })],
      ...[clipAt(4, fast), clipAt(5, { ...fast, speed: 5.1 })],
      clipAt(6, { ...tone, path: at('surround.flac') }),
      clipAt(8, { path: at('late.mkv'), from: 2, seconds: 2 }),
    ]
    const { sound, level } = await mixTimelineSound({ duration: 10, sound: [clips] })
    expect([500, 1000].map((hertz) => level(hertz) > 0.3)).toEqual([true, false])
    expect([500, 1000].map((hertz) => level(hertz, 2.2, 3.8) > 0.3)).toEqual([false, true])
    expect(level(5000, 4.05, 4.55)).toBeGreaterThan(0.2)
    expect(Math.max(...sound.subarray(4.7 * 48_000, 6 * 48_000).map(Math.abs))).toBe(0)
    expect(level(500, 6.2, 7.8)).toBeGreaterThan(0.02)
    expect(level(1500, 6.2, 7.8)).toBeGreaterThan(0.02)
    expect(level(1000, 8.6, 9.8)).toBeGreaterThan(0.3)
  })

  it('contains all of many simultaneous tracks, without clipping', async () => {
    const paths = ['low.mkv', 'high.mkv', 'mono.wav']
    const count = soakSize(9, 20)
    const mixed = await mixTimelineSound({
      sound: Array.from({ length: count }, (_, index) => [
        clipAt(0, { ...tone, path: at(paths[index % 3] ?? ''), volume: 0.05 }),
      ]),
    })
    // A third of the tracks each, at 1/40 of full scale: no round of mixing loses any.
    for (const [place, hertz] of [440, 2500, 1000].entries()) {
      const expected = Math.ceil((count - place) / 3) / 40
      expect(Math.abs(mixed.level(hertz) - expected), `${hertz} Hz`).toBeLessThan(0.012)
    }
    const loudTracks = Array.from({ length: soakSize(3, 8) }, () => [
      clipAt(0, { ...tone, path: at('low.mkv') }),
    ])
    const { sound, level } = await renderTimelineSound({ sound: loudTracks })
    expect(level(440)).toBeGreaterThan(0.75)
    expect(level(1320)).toBeLessThan(0.02)
    expect(Math.max(...sound.map(Math.abs))).toBeLessThan(0.9)
  })

  it('is silent where samples are not finite, in that source only', async () => {
    const broken = at('broken.wav')
    await writeSampledWav(broken, { seconds: 2 }, (time) => {
      if (time >= 0.8 && time <= 1) return NaN
      if (time >= 1.4 && time <= 1.41) return Infinity
      return 0.3 * Math.sin(2 * Math.PI * 1000 * time) - (time >= 1.5 && time <= 1.51 ? 9e30 : 0)
    })
    const speeds = [
      [{ speed: 0.8, keep_pitch: true }, 1.25],
      [{}, 1],
      [{ speed: 0.8 }, 1.25],
    ] as const
    for (const [more, end] of sampleCases(speeds, 1)) {
      const { sound } = await mixTimelineSound({
        picture: consecutiveClips([{ ...tone, path: at('low.mkv') }]),
        sound: [[clipAt(0, { ...tone, seconds: 1.6, path: broken, ...more })]],
      })
      const pitch = 'speed' in more && !('keep_pitch' in more) ? 800 : 1000
      // Averages short windows, because retiming that keeps the pitch does not keep the phase.
      const meanLevel = (from: number, to: number, hertz: number) => {
        const starts = Array.from(
          { length: Math.round((to - from) * 50) },
          (_, index) => (from + index / 50) * 48_000,
        )
        const levels = starts.map((start) => amplitude(sound.subarray(start, start + 960), hertz))
        return levels.reduce((sum, one) => sum + one, 0) / levels.length
      }
      expect(sound.every((one) => Math.abs(one) < 1)).toBe(true)
      expect(meanLevel(0.1, 0.7, pitch)).toBeCloseTo(0.3, 1)
      expect(meanLevel(end + 0.05, end + 0.3, pitch)).toBeCloseTo(0.3, 1)
      expect(meanLevel(end - 0.1, end - 0.05, pitch)).toBeLessThan(0.05)
      expect(meanLevel(0.1, 1.9, 440)).toBeCloseTo(0.5, 1)
    }
  })
})
