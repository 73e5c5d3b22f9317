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
import { sampleCases } from '../../soak-size.ts'
import { generateMedia, scratchFolder } from '../ffmpeg/generate-media.ts'
import { writeFloatWav, writeInterleavedWav } from '../float-wav.ts'
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

/** Length of sources and of most mixes, seconds. */
const length = 7

/** Spans of the dub: speech from 1 to 2 s and from 3.5 to 4.5 s. */
const spans = [
  { from: rate, to: 2 * rate },
  { from: 3.5 * rate, to: 4.5 * rate },
]
const lines = concatSamples([quiet(1), voice(1), quiet(1.5), voice(1), quiet(2.5)])

async function staged(path: string): Promise<StagedFile> {
  return (await stageFiles([path])).get(fileIdOf(path))
}

interface SourceOptions {
  readonly channels: number
  readonly gain?: number
  readonly musicLevel?: number
  /** Length of the mix. */
  readonly seconds?: number
}

/** Speech and music of sources: the voice is in other places than the lines. */
const sourceVoice = concatSamples([quiet(0.25), voice(1), quiet(1), voice(1), quiet(3.75)])
const sourceMusic = sine(musicHertz, length, 0.02)

/** A source with a voice and music, with its separated sounds. */
async function source(name: string, { channels, gain = 1, musicLevel = 0.02 }: SourceOptions) {
  const voices = sourceVoice.map((sample) => gain * sample)
  const music = sourceMusic.map((sample) => ((gain * musicLevel) / 0.02) * sample)
  const write = (kind: string, samples: Float32Array, count: number) =>
    writeInterleavedWav(join(folder, `${name}-${kind}.wav`), inChannels(samples, count), {
      rate,
      channels: count,
    })
  const file = await staged(await write('source', mixed(voices, music), channels))
  const [voicePath, musicPath] = [await write('voice', voices, 1), await write('music', music, 2)]
  return { file, background: { music: musicPath, voice: voicePath, seconds: length } }
}

/** Repeats samples in each channel. */
function inChannels(samples: Float32Array, count: number): Float32Array {
  return new Float32Array(count * samples.length).map((_, at) => samples[Math.floor(at / count)] ?? 0)
}

async function mix(
  name: string,
  file: StagedFile,
  { seconds = length, ...sounds }: Partial<DubMix> & { readonly seconds?: number },
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
  const measured = { level: () => measureLevel(path, decodeLimits), facts: () => probe(path) }
  return { path, notes, encodings, ...measured }
}

/** Mixes of sources with music by their names. */
const mixes = new Map<string, ReturnType<typeof mixSource>>()

/** Sources with music: names and properties. */
const sources = [
  ['two channels', { channels: 2, seconds: 7.4 }],
  ['one channel', { channels: 1 }],
  ['a quiet source', { channels: 2, gain: 0.05 }],
  ['a loud source', { channels: 2, gain: 4 }],
  ['music as loud as speech', { channels: 2, musicLevel: 0.1 }],
  ['one channel, with music as loud as speech', { channels: 1, musicLevel: 0.1 }],
] as const
type SourceName = (typeof sources)[number][0]

async function mixSource(name: SourceName) {
  const options: SourceOptions = new Map<SourceName, SourceOptions>(sources).get(name) ?? { channels: 2 }
  const file = name.replaceAll(/\W/g, '-')
  const made = await source(file, options)
  const { seconds = length } = options
  return { ...made, ...(await mix(`${file}.m4a`, made.file, { background: made.background, seconds })) }
}

/** Mixes a source with music, once for the tests that look at the same mix. */
function mixOnce(name: SourceName): ReturnType<typeof mixSource> {
  const known = mixes.get(name) ?? mixSource(name)
  mixes.set(name, known)
  return known
}

/** Loudness of the file of a source, LUFS; measured once. */
async function loudnessOf({ path }: StagedFile): Promise<number> {
  const measured = loudnesses.get(path) ?? measureLevel(path, decodeLimits)
  loudnesses.set(path, measured)
  return (await measured).loudness ?? NaN
}
const loudnesses = new Map<string, ReturnType<typeof measureLevel>>()

describe('the mix of a dub with music', () => {
  it.each(sampleCases(sources))(
    'has the loudness of the source and at most -1 dBTP: %s',
    async (name, options: SourceOptions) => {
      const { file, facts, notes, ...made } = await mixOnce(name)
      const level = await made.level()
      const { audio, duration_ms } = await facts()
      expect(Math.abs((level.loudness ?? 0) - (await loudnessOf(file)))).toBeLessThan(1)
      expect(level.truePeak).toBeLessThanOrEqual(-1)
      expect(notes).toEqual([])
      expect(audio).toMatchObject([{ codec: 'aac', channels: options.channels, sample_rate: rate }])
      expect(Math.abs(duration_ms - 1000 * (options.seconds ?? length))).toBeLessThan(25)
    },
  )

  it('leaves the music unchanged where nobody speaks, lowers it by 12 dB under lines, and ends with its fade and silence if the output is longer', async () => {
    const { path } = await mixOnce('two channels')
    const sound = await firstChannel(path, 7.4)
    // The gain of the whole mix is known from its loudness: here, it is less than a dB.
    const music = (from: number, to: number) =>
      toneLevel(sound, musicHertz, [from, to]) - 20 * Math.log10(0.02)
    for (const [from, to] of [
      [0.1, 0.7],
      [2.5, 3.2],
      [5, 5.9],
    ] as const)
      expect(Math.abs(music(from, to)), `${from} s`).toBeLessThan(1)
    const open = music(5, 6)
    for (const [from, to] of [
      [1.1, 1.9],
      [3.6, 4.4],
    ] as const)
      expect(music(from, to) - open).toBeCloseTo(-12, 0)
    // Without that gain, the voice is as loud as the one that it replaces.
    expect(toneLevel(sound, 160, [1.1, 1.9]) - open).toBeCloseTo(-20, 0)
    expect(music(5.1, 5.95) - music(0.1, 0.7)).toBeCloseTo(0, 0)
    expect(music(6.45, 6.55) - music(5, 6)).toBeCloseTo(-6, 0)
    expect(levelOf(sound, 7.1, 7.4)).toBeLessThan(-80)
  })

  it('does not fade music that is as long as the output', async () => {
    const { path } = await mixOnce('one channel, with music as loud as speech')
    const sound = await firstChannel(path, length)
    const music = (from: number, to: number) => toneLevel(sound, musicHertz, [from, to])
    expect(music(6.8, 6.99) - music(5, 6)).toBeCloseTo(0, 0)
  })
})

describe('a dub without music', () => {
  const mp3Sources = [
    ['one channel, with music as loud as speech', 1],
    ['two channels', 2],
  ] as const
  it.each(sampleCases(mp3Sources, 1))(
    'is an mp3 with the loudness of the source that starts on time and is silent between its lines: %s',
    async (name, channels) => {
      const { file } = await mixOnce(name)
      const { path, facts, level } = await mix(`podcast-${channels}.mp3`, file, {})
      expect(Math.abs(((await level()).loudness ?? 0) - (await loudnessOf(file)))).toBeLessThan(1)
      const { audio, duration_ms } = await facts()
      expect(audio).toMatchObject([{ codec: 'mp3', channels }])
      expect(Math.abs(duration_ms - 1000 * length)).toBeLessThan(60)
      expect(await readMediaTags(path)).toMatchObject({ comment: expect.stringContaining('AI-generated') })
      const sound = await firstChannel(path, length, true)
      expect(levelOf(sound, 2.3, 3.3)).toBeLessThan(-80)
      expect(levelOf(sound, 1.1, 1.9)).toBeGreaterThan(-30)
      expect(levelOf(sound, 0.9, 0.985)).toBeLessThan(-60)
      expect(levelOf(sound, 1.005, 1.05)).toBeGreaterThan(-30)
      expect(levelOf(sound, 2.02, 2.1)).toBeLessThan(-60)
    },
  )

  const loudSources = [
    {
      limited: 'a part of its gain, and then all of it',
      noise: `anoisesrc=a=1:c=pink:r=48000:d=${length}:seed=3,volume=14dB,asoftclip`,
      // The limit lowers the second line alone.
      sound: lines.map((sample, at) => (at < 3 * rate ? sample / 2 : sample)),
      most: 3,
    },
    {
      // A further gain changes nothing.
      limited: 'all of its gain',
      noise: `anoisesrc=a=1:c=white:r=48000:d=${length}:seed=3,volume=20dB,asoftclip`,
      sound: lines,
      most: 2,
    },
  ]
  it.each(sampleCases(loudSources, 1))(
    'is encoded $most times at most where the limit of its peaks takes $limited, and its loudness is reported',
    async ({ noise, sound, most }) => {
      const loud = await generateMedia(join(folder, `loud-${most}.wav`), [
        ...['-f', 'lavfi', '-i', noise, '-ac', '2'],
      ])
      const dub = await writeFloatWav(join(folder, `lines-${most}.wav`), sound, rate)
      const { level, notes, encodings } = await mix(`loud-${most}.m4a`, await staged(loud), { dub })
      expect((await level()).truePeak).toBeLessThanOrEqual(-1)
      expect(encodings).toBeLessThanOrEqual(most)
      expect(notes).toEqual([expect.stringMatching(/^the sound is [\d.]+ LU quieter than the source$/)])
    },
  )

  it('is written if the source or the dub is silent', async () => {
    const write = (name: string, samples: Float32Array) => writeFloatWav(join(folder, name), samples, rate)
    const silent = await staged(await write('silent.wav', quiet(3)))
    const [dub, nothing] = [
      await write('spoken.wav', lines.subarray(0, 3 * rate)),
      await write('nothing.wav', quiet(3)),
    ]
    for (const [name, sounds] of [
      ['one.m4a', { dub }],
      ['two.m4a', { dub: nothing }],
    ] as const) {
      const { notes, facts } = await mix(name, silent, { ...sounds, spans: spans.slice(0, 1), seconds: 3 })
      expect(notes).toEqual([])
      expect(Math.abs((await facts()).duration_ms - 3000)).toBeLessThan(25)
    }
  })

  it('ends with an abort, and leaves nothing', async () => {
    const { file } = await mixOnce('two channels')
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
