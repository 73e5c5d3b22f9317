import { join } from 'node:path'
import { artifactOf } from '../../packs/pack-fixtures.ts'
import { readFileSync } from 'node:fs'
import { readVoice } from '../../../src/engines/ffmpeg/sound.ts'
import { manifest, type Manifest } from '../../../src/engines/packs/manifest.ts'
import { concatSamples } from '../../../src/media/audio/windows.ts'
import { configurePacks } from '../../../src/engines/packs/resolve.ts'
import { testdata } from '../ffmpeg/generate-media.ts'
import { writeFloatWav } from '../float-wav.ts'

export const neverAborted = new AbortController().signal
export const decodeLimits = { signal: neverAborted, timeoutMs: 60_000 }

const rate = 16_000

/** Whether the public test files are available. */
export const hasSpeechFiles = testdata('speech') !== undefined && testdata('models') !== undefined

const files = {
  /** President Kennedy. */
  kennedy: 'jfk.flac',
  /** A man reading Chinese. */
  chinese: 'aishell-BAC009S0724W0121.wav',
  /** A reader of Jane Austen. */
  austen: 'librivox/sense_and_sensibility_01_austen_64kb-0870.wav',
  /** A woman speaking Chinese. */
  woman: 'cosyvoice-zero_shot_prompt.wav',
  /** A reader of another book. */
  reader: 'librispeech-1995-1837-0001.wav',
}
export type Speaker = keyof typeof files

export function pathOf(speaker: Speaker): string {
  return join(testdata('speech') ?? '', files[speaker])
}

/** Decoded recordings. Each is decoded once per process. */
const decoded = new Map<Speaker, Promise<Float32Array>>()

/** Speech of a speaker, mono at 16 kHz, normalised to a root mean square of 0.08. */
export async function voiceOf(speaker: Speaker): Promise<Float32Array> {
  const reading = decoded.get(speaker) ?? readVoice(pathOf(speaker), decodeLimits)
  decoded.set(speaker, reading)
  const sound = await reading
  const level = Math.sqrt(sound.reduce((sum, sample) => sum + sample * sample, 0) / sound.length)
  return sound.map((sample) => (sample * 0.08) / level)
}

export function joined(...parts: readonly Float32Array[]): Float32Array {
  return concatSamples(parts)
}

export function silence(seconds: number): Float32Array {
  return new Float32Array(Math.round(seconds * rate))
}

/** Reproducible noise. */
export function noise(seconds: number, level: number): Float32Array {
  let state = 1
  return silence(seconds).map(() => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state / 2 ** 32 - 0.5) * 2 * Math.sqrt(3) * level
  })
}

/** Chords of four tones with overtones, a new one each half second, repeated after the third. */
export function music(seconds: number, level: number): Float32Array {
  const chords = [
    [220, 277.2, 329.6, 440],
    [196, 246.9, 293.7, 392],
    [174.6, 220, 261.6, 349.2],
  ]
  const cycle = silence(chords.length / 2).map((_, at) => {
    const time = at / rate
    const tones = chords[Math.floor(time * 2) % 3] ?? []
    const fade = Math.exp(-2 * (time % 0.5))
    const wave = (hertz: number) =>
      [1, 2, 3].reduce((sum, part) => sum + Math.sin(2 * Math.PI * hertz * part * time) / part, 0)
    return (tones.reduce((sum, hertz) => sum + wave(hertz), 0) * fade * level) / 1.5
  })
  return silence(seconds).map((_, at) => cycle[at % cycle.length] ?? 0)
}

export function mixed(one: Float32Array, other: Float32Array): Float32Array {
  return one.map((sample, at) => sample + (other[at] ?? 0))
}

/** Splits sound into chunks of an odd length, as a decoder does. */
export function* inChunks(sound: Float32Array, size = 7777): Generator<Float32Array> {
  for (let at = 0; at < sound.length; at += size) yield sound.subarray(at, at + size)
}

/** Configures packs with the public test files as their mirror. */
export function useSpeechPacks(
  folder: string,
  overrides: Partial<Manifest> = {},
  mirror = testdata('models'),
): void {
  const known = { ...manifest, ...testDenoiser(), ...overrides } as Manifest
  configurePacks({ folder: join(folder, 'packs'), automatic: true, mirror, own: {}, manifest: known })
}

/** The test files contain another build of GTCRN than the published one. */
function testDenoiser(): Partial<Manifest> {
  const folder = testdata('models')
  if (folder === undefined) return {}
  const file = 'gtcrn-sherpa.onnx'
  const artifact = {
    ...artifactOf(file, readFileSync(join(folder, file))),
    address: 'https://models.invalid/',
  }
  return { denoising: { ...manifest.denoising, artifact } }
}

/** Writes sound at 16 kHz to a file. */
export async function writeSound(path: string, sound: Float32Array): Promise<string> {
  return await writeFloatWav(path, sound, rate)
}
