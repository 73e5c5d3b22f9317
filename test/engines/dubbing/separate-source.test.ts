import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { separateSource } from '../../../src/engines/dubbing/separate-source.ts'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { installPack } from '../../../src/engines/packs/install.ts'
import { manifest } from '../../../src/engines/packs/manifest.ts'
import { configuredPacks, configurePacks } from '../../../src/engines/packs/resolve.ts'
import { concatSamples } from '../../../src/media/audio/windows.ts'
import { sampleCases } from '../../soak-size.ts'
import { generateMedia, picture, scratchFolder } from '../ffmpeg/generate-media.ts'
import { writeFloatWav } from '../float-wav.ts'
import { stem, writeFakePack } from '../speech/fake-speech-models.ts'
import { hasSpeechFiles, mixed, neverAborted, noise, silence, useSpeechPacks } from '../speech/recordings.ts'
import { staged } from './marked-video.ts'
import { firstChannel, levelOf, readMonoWav, sine, toneLevel } from './sounds.ts'

const folder = await scratchFolder()
const rate = 48_000

/** A voice at 700 Hz that pauses, mono, 48 kHz. The fake separator keeps frequencies up to 1,080 Hz as voices. */
const voice = (seconds: number) => {
  const tone = sine(700, seconds, 0.2)
  return tone.map((sample, at) => (at % (2 * rate) < 1.5 * rate ? sample : 0))
}
/** Tones above the voice. */
const music = (seconds: number, level: number) =>
  mixed(sine(1500, seconds, level), sine(2310, seconds, level))
/** Noise at 48 kHz, above the voice in part. */
const hiss = (seconds: number, level: number) => noise(3 * seconds, level).subarray(0, seconds * rate)
const quiet = (seconds: number) => silence(3 * seconds)

async function separate(name: string, sound: Float32Array, steps?: string) {
  const file = await staged(await writeFloatWav(join(folder, `${name}.wav`), sound, rate))
  const shares: number[] = []
  const own = steps ?? (await scratchFolder())
  const options = { steps: own, signal: neverAborted, onShare: (share: number) => shares.push(share) }
  const result = await separateSource(file, options)
  expect(shares).toEqual(shares.toSorted((one, other) => one - other))
  expect(shares.at(-1)).toBe(1)
  return { ...result, steps: own, shares }
}

describe('the separated sound of a file', () => {
  beforeAll(async () => {
    const files = { 'vocals.onnx': stem(0, 100), 'accompaniment.onnx': stem(101, 1023) }
    const mirror = join(folder, 'mirror')
    useSpeechPacks(folder, await writeFakePack(mirror, 'voice-separation', files), mirror)
    const packs = configuredPacks()
    if (packs) await installPack(packs, 'voice-separation')
  })

  it('is the voice and the music, as long as the file; the next attempt reuses it, but never the files of a killed one', async () => {
    const steps = await scratchFolder()
    for (const name of ['unfinished-voice-spleeter.wav', 'voice-spleeter.wav', 'music-spleeter.wav'])
      await writeFile(join(steps, name), 'half of a file')
    const song = mixed(voice(6), music(6, 0.05))
    const first = await separate('song', song, steps)
    const { seconds, ...result } = first
    expect(result).toMatchObject({ separator: 'spleeter', keepsMusic: true })
    expect(seconds).toBe(6)
    const voices = await readMonoWav(result.voice)
    expect(Math.abs(voices.length - 6 * rate)).toBeLessThan(5)
    expect(toneLevel(voices, 700, [4.1, 5.4])).toBeCloseTo(20 * Math.log10(0.2), 0)
    expect(toneLevel(voices, 1500, [4.1, 5.4])).toBeLessThan(-60)
    const path = result.music ?? ''
    const { audio, duration_ms } = await probe(path)
    expect(audio).toMatchObject([{ codec: 'pcm_s16le', channels: 2, sample_rate: rate }])
    expect(duration_ms).toBe(6000)
    const others = await firstChannel(path, 6)
    expect(toneLevel(others, 1500, [1, 5])).toBeCloseTo(20 * Math.log10(0.05), 0)
    expect(toneLevel(others, 700, [4.1, 5.4])).toBeLessThan(-50)
    // 0.05² for two tones against 0.2² for three quarters of the time.
    expect(result.musicShare).toBeCloseTo(0.005 / (0.005 + 0.03), 2)
    expect((await readdir(result.steps)).toSorted()).toEqual([
      ...['music-spleeter.wav', expect.stringMatching(/^separated-[\da-f]+\.json$/), 'voice-spleeter.wav'],
    ])
    expect(first.shares.length).toBeGreaterThan(1)
    const bytes = await readFile(first.voice)
    expect(bytes.length).toBeGreaterThan(6 * 2 * 44_100)
    const second = await separate('song', song, steps)
    expect(second).toEqual({ ...first, shares: [1] })
    expect(await readFile(second.voice)).toEqual(bytes)
  })

  it.each(
    sampleCases(
      [
        ['hiss at -60 dBFS', () => hiss(6, 0.001), false],
        ['silence', () => quiet(12), false],
        ['music', () => music(12, 0.02), true],
        ['music only in the first 10 s of 30', () => concatSamples([music(10, 0.02), quiet(20)]), true],
      ] as const,
      1,
    ),
  )('has music or not: %s', async (name, background, hasMusic) => {
    const sound = background()
    const result = await separate(name.replaceAll(/\W/g, '-'), mixed(voice(sound.length / rate), sound))
    expect(result.music !== null).toBe(hasMusic)
    expect((await readdir(result.steps)).some((file) => file.startsWith('music-'))).toBe(hasMusic)
    expect(levelOf(await readMonoWav(result.voice), 4.1, 5.4)).toBeGreaterThan(-20)
  })

  it('is that of the sound of a video from its start', async () => {
    const path = await generateMedia(join(folder, 'late.mp4'), [
      ...[...picture(5), '-itsoffset', '1.5', '-f', 'lavfi', '-i', 'sine=frequency=700:duration=2'],
      ...['-c:v', 'libx264', '-c:a', 'aac'],
    ])
    const result = await separateSource(await staged(path), {
      ...{ steps: await scratchFolder(), signal: neverAborted },
    })
    const voices = await readMonoWav(result.voice)
    expect(Math.abs(voices.length - 5 * rate)).toBeLessThan(50)
    expect(levelOf(voices, 0, 1.4)).toBeLessThan(-70)
    expect(levelOf(voices, 1.6, 3.4)).toBeGreaterThan(-30)
    expect(levelOf(voices, 3.6, 5)).toBeLessThan(-70)
  })

  it('is not made of a picture, and not finished after an abort', async () => {
    const steps = await scratchFolder()
    const silent = await staged(
      await generateMedia(join(folder, 'silent.mp4'), [...picture(1), '-c:v', 'libx264']),
    )
    await expect(separateSource(silent, { steps, signal: neverAborted })).rejects.toMatchObject({
      code: 6014,
    })
    const file = await staged(await writeFloatWav(join(folder, 'long.wav'), voice(14), rate))
    const stop = new AbortController()
    const started = separateSource(file, {
      ...{ steps, signal: stop.signal },
      onShare: () => stop.abort(new Error('enough')),
    })
    await expect(started).rejects.toThrow('enough')
    expect(await readdir(steps)).toEqual([])
  })
})

describe('without a separator of music', () => {
  it.skipIf(!hasSpeechFiles)('the denoiser returns the voice only (REELWRIGHT_TESTDATA)', async () => {
    useSpeechPacks(join(folder, 'other'))
    const result = await separate('denoised', mixed(voice(4), music(4, 0.05)))
    expect(result).toMatchObject({ music: null, musicShare: 0, separator: 'gtcrn', keepsMusic: false })
    const { audio, duration_ms } = await probe(result.voice)
    expect(audio).toMatchObject([{ channels: 1, sample_rate: 16_000 }])
    expect(duration_ms).toBe(4000)
  })

  it('the error names the pack', async () => {
    configurePacks({ folder: join(folder, 'none'), automatic: false, own: {}, manifest })
    await expect(separate('none', quiet(1))).rejects.toMatchObject({ code: 6401 })
  })
})
