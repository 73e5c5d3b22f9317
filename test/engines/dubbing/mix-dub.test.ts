import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { StagedFile } from '../../../src/contract/operation.ts'
import { type DubMix, mixDub } from '../../../src/engines/dubbing/mix-dub.ts'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { readMediaTags } from '../../../src/engines/ffmpeg/media-tags.ts'
import { measureLevel } from '../../../src/engines/ffmpeg/true-peak.ts'
import { concatSamples } from '../../../src/media/audio/windows.ts'
import { fileIdOf, stageFiles } from '../../tasks/run-in-worker.ts'
import { generateMedia, scratchFolder } from '../ffmpeg/generate-media.ts'
import { writeFloatWav } from '../float-wav.ts'
import { decodeLimits, mixed, neverAborted } from '../speech/recordings.ts'
import { firstChannel, levelOf, rate, sine, toneLevel } from './sounds.ts'

const folder = await scratchFolder()

/** Silence of a length in seconds, mono, 48 kHz. */
const quiet = (seconds: number) => new Float32Array(Math.round(seconds * rate))

/** Harmonics of a voice at 160 Hz. They have no frequency in common with the music. */
function voice(seconds: number, level = 0.1): Float32Array {
  const parts = [1, 2, 3, 4, 5].map((part) => sine(160 * part, seconds, level / part))
  return parts.reduce(mixed)
}

/** Tone of the music, Hz. */
const musicHertz = 1130

/** Spans of the dub: speech from 2 to 4 s and from 8 to 10 s. */
const spans = [
  { from: 2 * rate, to: 4 * rate },
  { from: 8 * rate, to: 10 * rate },
]
const lines = concatSamples([quiet(2), voice(2), quiet(4), voice(2), quiet(2)])

async function staged(path: string): Promise<StagedFile> {
  return (await stageFiles([path])).get(fileIdOf(path))
}

interface SourceOptions {
  readonly channels?: number
  readonly gain?: number
  readonly musicLevel?: number
}

/** A source with a voice in other places and music, 12 s, with its separated sounds. */
async function source(name: string, { channels = 2, gain = 1, musicLevel = 0.02 }: SourceOptions = {}) {
  const voices = concatSamples([quiet(1), voice(4, 0.1 * gain), quiet(2), voice(4, 0.1 * gain), quiet(1)])
  const music = sine(musicHertz, 12, musicLevel * gain)
  const write = (kind: string, samples: Float32Array) =>
    writeFloatWav(join(folder, `${name}-${kind}.wav`), samples, rate)
  const [voicePath, monoMusic] = [await write('voice', voices), await write('mono', music)]
  // ffmpeg's own conversion would attenuate it by 3 dB.
  const twice = ['-af', 'pan=stereo|c0=c0|c1=c0', '-c:a', 'pcm_f32le']
  const stereo = (path: string, to: string) =>
    generateMedia(join(folder, `${name}-${to}.wav`), ['-i', path, ...twice])
  const whole = await write('sum', mixed(voices, music))
  const file = await staged(channels === 1 ? whole : await stereo(whole, 'source'))
  const musicPath = await stereo(monoMusic, 'music')
  return { file, background: { music: musicPath, voice: voicePath, seconds: 12 } }
}

async function mix(
  name: string,
  file: StagedFile,
  { seconds = 12, ...sounds }: Partial<DubMix> & { readonly seconds?: number },
) {
  const path = join(folder, name)
  const dub = sounds.dub ?? (await writeFloatWav(join(folder, `${name}-dub.wav`), lines, rate))
  const shares: number[] = []
  const notes = await mixDub(
    { dub, spans, ...sounds },
    {
      ...{ path, source: file, duration: seconds * rate, signal: neverAborted },
      onShare: (share) => shares.push(share),
    },
  )
  expect(shares).toEqual(shares.toSorted((one, other) => one - other))
  expect(shares.at(-1)).toBe(1)
  expect((await readdir(folder)).filter((one) => one.startsWith('unfinished'))).toEqual([])
  // Besides the start and the end, each encoding reports a share.
  const encodings = shares.filter((share) => share > 0.2 && share < 1).length
  return { path, notes, encodings, level: await measureLevel(path, decodeLimits), facts: await probe(path) }
}

/** Mixes of sources with music by their names. */
const mixes = new Map<string, ReturnType<typeof mixSource>>()

async function mixSource(name: string, options: SourceOptions) {
  const { file, background } = await source(name, options)
  return { file, ...(await mix(`${name}.m4a`, file, { background })) }
}

/** Mixes a source with music, once for the tests that look at the same mix. */
function mixOnce(name = 'stereo', options: SourceOptions = {}): ReturnType<typeof mixSource> {
  const known = mixes.get(name) ?? mixSource(name, options)
  mixes.set(name, known)
  return known
}

/** Loudness of the file of a source, LUFS. */
const loudnessOf = async ({ path }: StagedFile) => (await measureLevel(path, decodeLimits)).loudness ?? NaN

describe('the mix of a dub with music', () => {
  it.each([
    ['two channels', 'stereo', { channels: 2 }],
    ['one channel', 'mono', { channels: 1 }],
    ['a quiet source', 'quiet', { channels: 2, gain: 0.05 }],
    ['a loud source', 'loud', { channels: 2, gain: 4 }],
    ['music as loud as speech', 'music', { channels: 2, musicLevel: 0.1 }],
  ])('has the loudness of the source and at most -1 dBTP: %s', async (_, name, options) => {
    const { file, level, facts, notes } = await mixOnce(name, options)
    expect(Math.abs((level.loudness ?? 0) - (await loudnessOf(file)))).toBeLessThan(1)
    expect(level.truePeak).toBeLessThanOrEqual(-1)
    expect(notes).toEqual([])
    expect(facts.audio).toMatchObject([{ codec: 'aac', channels: options.channels, sample_rate: rate }])
    expect(Math.abs(facts.duration_ms - 12_000)).toBeLessThan(25)
  })

  it('leaves the music unchanged where nobody speaks, and lowers it by 12 dB under lines', async () => {
    const { path, level } = await mixOnce()
    const sound = await firstChannel(path, 12)
    // The gain of the whole mix is known from its loudness: here, it is less than a dB.
    const music = (from: number, to: number) =>
      toneLevel(sound, musicHertz, [from, to]) - 20 * Math.log10(0.02)
    for (const [from, to] of [
      [0.2, 1.7],
      [4.5, 7.7],
      [10.5, 11.8],
    ] as const)
      expect(Math.abs(music(from, to)), `${from} s`).toBeLessThan(1)
    const open = music(5, 7)
    for (const [from, to] of [
      [2.1, 3.9],
      [8.1, 9.9],
    ] as const)
      expect(music(from, to) - open).toBeCloseTo(-12, 0)
    // The voice is as loud as the one that it replaces.
    expect(toneLevel(sound, 160, [2.1, 3.9])).toBeCloseTo(-20, 0)
    expect(level.loudness).toBeDefined()
  })

  it('ends with a fade of the music and silence if the output is longer', async () => {
    const { file, background } = await source('longer')
    const { path, facts } = await mix('longer.m4a', file, { background, seconds: 12.4 })
    expect(Math.abs(facts.duration_ms - 12_400)).toBeLessThan(25)
    const sound = await firstChannel(path, 12.4)
    const music = (from: number, to: number) => toneLevel(sound, musicHertz, [from, to])
    expect(music(10.6, 10.95) - music(5, 7)).toBeCloseTo(0, 0)
    expect(music(11.45, 11.55) - music(5, 7)).toBeCloseTo(-6, 0)
    expect(levelOf(sound, 12.1, 12.4)).toBeLessThan(-80)
  })

  it('does not fade music that is as long as the output', async () => {
    const { path } = await mixOnce()
    const sound = await firstChannel(path, 12)
    const music = (from: number, to: number) => toneLevel(sound, musicHertz, [from, to])
    expect(music(11.8, 11.99) - music(5, 7)).toBeCloseTo(0, 0)
  })
})

describe('a dub without music', () => {
  it('has the loudness of the source, and is silent between its lines', async () => {
    const { file } = await source('alone')
    const { path, level } = await mix('alone.mp3', file, {})
    expect(Math.abs((level.loudness ?? 0) - (await loudnessOf(file)))).toBeLessThan(1)
    const sound = await firstChannel(path, 12)
    expect(levelOf(sound, 5, 7)).toBeLessThan(-80)
    expect(levelOf(sound, 2.1, 3.9)).toBeGreaterThan(-30)
  })

  it('is an mp3 that starts on time, for sound without a picture', async () => {
    const { file } = await source('podcast', { channels: 1 })
    const { path, facts } = await mix('podcast.mp3', file, {})
    expect(facts.audio).toMatchObject([{ codec: 'mp3', channels: 1 }])
    expect(Math.abs(facts.duration_ms - 12_000)).toBeLessThan(60)
    expect(await readMediaTags(path)).toMatchObject({ comment: expect.stringContaining('AI-generated') })
    const sound = await firstChannel(path, 12, true)
    expect(levelOf(sound, 1.9, 1.985)).toBeLessThan(-60)
    expect(levelOf(sound, 2.005, 2.05)).toBeGreaterThan(-30)
    expect(levelOf(sound, 4.02, 4.1)).toBeLessThan(-60)
  })

  it('reports a loudness that the peaks do not allow', async () => {
    const noise = 'anoisesrc=a=1:c=white:r=48000:d=12:seed=3,volume=20dB,asoftclip'
    const loud = await generateMedia(join(folder, 'full.wav'), ['-f', 'lavfi', '-i', noise, '-ac', '2'])
    const file = await staged(loud)
    const { level, notes, encodings } = await mix('full.m4a', file, {})
    expect(level.truePeak).toBeLessThanOrEqual(-1)
    // A further gain changes nothing.
    expect(encodings).toBeLessThanOrEqual(2)
    expect(notes).toEqual([expect.stringMatching(/^the sound is [\d.]+ LU quieter than the source$/)])
  })

  it('is encoded three times at most where the limit of its peaks takes a part of its gain, and then all of it', async () => {
    const noise = 'anoisesrc=a=1:c=pink:r=48000:d=12:seed=3,volume=14dB,asoftclip'
    const loud = await generateMedia(join(folder, 'dense.wav'), ['-f', 'lavfi', '-i', noise, '-ac', '2'])
    const file = await staged(loud)
    // The limit lowers the second line alone.
    const samples = lines.map((sample, at) => (at < 6 * rate ? sample / 2 : sample))
    const dub = await writeFloatWav(join(folder, 'unequal.wav'), samples, rate)
    const { level, notes, encodings } = await mix('dense.m4a', file, { dub })
    expect(level.truePeak).toBeLessThanOrEqual(-1)
    expect(notes).toEqual([expect.stringMatching(/^the sound is [\d.]+ LU quieter than the source$/)])
    expect(encodings).toBeLessThanOrEqual(3)
  })

  it('is written if the source or the dub is silent', async () => {
    const silent = await staged(await writeFloatWav(join(folder, 'silent.wav'), quiet(12), rate))
    const dub = await writeFloatWav(join(folder, 'nothing.wav'), quiet(12), rate)
    for (const [name, sounds] of [
      ['one.m4a', {}],
      ['two.m4a', { dub }],
    ] as const) {
      const { notes, facts } = await mix(name, silent, sounds)
      expect(notes).toEqual([])
      expect(Math.abs(facts.duration_ms - 12_000)).toBeLessThan(25)
    }
  })

  it('ends with an abort, and leaves nothing', async () => {
    const { file } = await source('aborted')
    const own = await scratchFolder()
    const stop = new AbortController()
    const dub = await writeFloatWav(join(folder, 'aborted-dub.wav'), lines, rate)
    const mixing = mixDub(
      { dub, spans },
      {
        ...{ path: join(own, 'mix.m4a'), source: file, duration: 3600 * rate, signal: stop.signal },
        onShare: () => stop.abort(new Error('enough')),
      },
    )
    await expect(mixing).rejects.toThrow('enough')
    expect(await readdir(own)).toEqual([])
  })
})
