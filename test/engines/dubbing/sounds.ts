import { readFile } from 'node:fs/promises'
import { resample } from '../../../src/media/audio/resample.ts'
import { LoudnessMeter } from '../../../src/media/audio/loudness.ts'
import { decodeWav } from '../../../src/media/audio/wav.ts'
import { decodeSound } from '../../../src/engines/ffmpeg/sound.ts'
import { concatSamples } from '../../../src/media/audio/windows.ts'
import { speechRate } from '../../../src/media/speech/speech-types.ts'
import { speak } from '../../recordings/speak.ts'
import { decodeLimits } from '../speech/recordings.ts'

/** Sample rate of results, Hz. */
export const rate = 48_000

/** Sentences that differ in length and sound. */
export const sentences = [
  'Technical people test better tools.',
  'Patience pays back tenfold, as we all know by now.',
  'The quick brown fox jumps over the lazy dog.',
  'Each morning the harbour wakes before the town does.',
] as const

/** Speaks a sentence, mono, 16 kHz. */
export async function spoken(text: string, voice = 'en-us') {
  return { samples: await speak(text, { voice, speed: 160, pitch: 50 }), rate: speechRate }
}

/** A sine tone, mono, 48 kHz. hertz: a whole number, so that each second is the same. */
export function sine(hertz: number, seconds: number, level = 0.3): Float32Array {
  const length = Math.round(seconds * rate)
  const second = new Float32Array(Math.min(length, rate)).map(
    (_, at) => level * Math.sin((2 * Math.PI * hertz * at) / rate),
  )
  return new Float32Array(length).map((_, at) => second[at % rate] ?? 0)
}

export async function readMonoWav(path: string): Promise<Float32Array> {
  const { samples, rate: own } = decodeWav(await readFile(path))
  return resample({ samples, rate: own }, rate)
}

/** Decodes the first channel of a file, 48 kHz, with a length in seconds. */
export async function firstChannel(path: string, seconds: number, mono = false): Promise<Float32Array> {
  const chunks: Float32Array[] = []
  for await (const chunk of decodeSound({ path, mono, seconds }, decodeLimits)) chunks.push(chunk.slice())
  const both = concatSamples(chunks)
  return new Float32Array(both.length / 2).map((_, at) => both[2 * at] ?? 0)
}

/** Root mean square of a part of a sound, dBFS. */
export function levelOf(sound: Float32Array, from: number, to: number): number {
  const part = sound.subarray(Math.round(from * rate), Math.round(to * rate))
  return 10 * Math.log10(part.reduce((sum, value) => sum + value * value, 0) / part.length)
}

/** Amplitude of a frequency in a part of a sound, dB, by correlation with a sine. */
export function toneLevel(sound: Float32Array, hertz: number, [from, to]: readonly [number, number]): number {
  const [first, end] = [Math.round(from * rate), Math.round(to * rate)]
  let [real, imaginary, weights] = [0, 0, 0]
  for (let at = first; at < end; at += 1) {
    const weight = Math.sin((Math.PI * (at - first + 0.5)) / (end - first)) ** 2
    const phase = (2 * Math.PI * hertz * at) / rate
    real += weight * (sound[at] ?? 0) * Math.cos(phase)
    imaginary += weight * (sound[at] ?? 0) * Math.sin(phase)
    weights += weight
  }
  return 20 * Math.log10((2 * Math.hypot(real, imaginary)) / weights)
}

/** Loudness of mono sound at 48 kHz in one channel, LUFS. */
export function loudnessOf(sound: Float32Array): number {
  const meter = new LoudnessMeter()
  meter.push(new Float32Array(2 * sound.length).map((_, at) => sound[at >> 1] ?? 0))
  return (meter.finish() ?? -Infinity) - 10 * Math.log10(2)
}

/** Largest difference of neighbouring samples. */
export function largestStep(sound: Float32Array): number {
  let largest = 0
  for (let at = 1; at < sound.length; at += 1)
    largest = Math.max(largest, Math.abs((sound[at] ?? 0) - (sound[at - 1] ?? 0)))
  return largest
}
