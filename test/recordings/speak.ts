import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { resample } from '../../src/media/audio/resample.ts'
import { decodeWav } from '../../src/media/audio/wav.ts'
import { speechRate } from '../../src/media/speech/speech-types.ts'
import { writeFloatWav } from '../engines/float-wav.ts'
import { generatedFile } from '../engines/ffmpeg/media-cache.ts'

const run = promisify(execFile)

/** Least level of a clip's first and last sample, and of the 20 ms that they begin or end (RMS): -46 dBFS. */
const edgeLevel = 0.005
const edgeSamples = 320

/** RMS level of a clip, dBFS. */
const clipLevel = -20

/** How a text is spoken. */
export interface Delivery {
  /** Voice of espeak-ng. */
  readonly voice: string
  /** Words per minute. */
  readonly speed: number
  /** Pitch, 0 to 99. */
  readonly pitch: number
}

function espeakVersion(): string | undefined {
  try {
    return execFileSync('espeak-ng', ['--version'], { encoding: 'utf8' }).split('Data')[0]
  } catch {
    return undefined
  }
}
const version = espeakVersion()

/** Whether espeak-ng is installed. */
export const canSpeak = version !== undefined

const clips = new Map<string, Promise<Float32Array>>()

/**
 * Speaks a text at -20 dBFS (RMS). Returns mono samples, 16 kHz: from the first to the last one of at least -46 dBFS.
 * Clips are cached by text and delivery.
 */
export function speak(text: string, { voice, speed, pitch }: Delivery): Promise<Float32Array> {
  const args = ['-z', '-v', voice, '-s', String(speed), '-p', String(pitch), text]
  const key = JSON.stringify(args)
  const clip = clips.get(key) ?? synthesize(args)
  clips.set(key, clip)
  return clip
}

/** Changes with the processing of clips, so that cached ones are made again. */
const processing = 'rumble, level and trim, 2'

async function synthesize(args: readonly string[]): Promise<Float32Array> {
  const program = ['espeak-ng', version ?? '', processing]
  const generate = (to: string) => writeClip(to, args)
  return decodeWav(await readFile(await generatedFile('.wav', { program, args, generate }))).samples
}

/** Speaks a text to a WAV file. */
async function writeClip(path: string, args: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'reelwright-speech-'))
  try {
    const spoken = join(folder, 'spoken.wav')
    await run('espeak-ng', ['-w', spoken, ...args])
    const samples = resample(decodeWav(await readFile(spoken)), speechRate)
    await writeFloatWav(path, levelledVoice(samples), speechRate)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Returns a voice at -20 dBFS (RMS) without what is below 80 Hz, from the first to the last sample of at least -46 dBFS.
 * Mono, 16 kHz.
 */
export function levelledVoice(samples: Float32Array): Float32Array {
  return trim(scaleToLevel(removeRumble(removeRumble(samples))))
}

/** Removes what is below 80 Hz, inaudible beside a voice, with a filter of 6 dB per octave. */
function removeRumble(samples: Float32Array): Float32Array {
  let [before, output] = [0, 0]
  return samples.map((sample) => {
    output = sample - before + 0.97 * output
    before = sample
    return output
  })
}

function scaleToLevel(samples: Float32Array): Float32Array {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
  const gain = 10 ** (clipLevel / 20) / Math.sqrt(power)
  return samples.map((sample) => Math.max(-0.99, Math.min(0.99, sample * gain)))
}

/** Removes what is below the level at both ends. Bursts of a few milliseconds apart from the voice do not count. */
function trim(samples: Float32Array): Float32Array {
  const isLoud = (at: number, from: number) => {
    const part = samples.subarray(Math.max(0, from), from + edgeSamples)
    const power = part.reduce((sum, sample) => sum + sample * sample, 0) / edgeSamples
    return Math.abs(samples[at] ?? 0) >= edgeLevel && power >= edgeLevel * edgeLevel
  }
  let [start, end] = [0, samples.length]
  while (start < end && !isLoud(start, start)) start += 1
  while (end > start && !isLoud(end - 1, end - edgeSamples)) end -= 1
  return samples.slice(start, end)
}
