import { execFile, execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { resample } from '../../src/media/audio/resample.ts'
import { decodeWav } from '../../src/media/audio/wav.ts'
import { concatSamples } from '../../src/media/audio/windows.ts'
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

const clips = new Map<string, Promise<readonly Float32Array[]>>()

/**
 * Speaks a text at -20 dBFS (RMS). Returns mono samples, 16 kHz: from the first to the last one of at least -46 dBFS.
 * Clips are cached by text and delivery.
 */
export async function speak(text: string, delivery: Delivery): Promise<Float32Array> {
  const [clip = new Float32Array()] = await clipsOf(['-z', ...optionsOf(delivery), text], (spoken) => [
    spoken,
  ])
  return clip
}

/**
 * Speaks texts of one line as `speak`, all by one start of espeak-ng. Returns a clip for each. Its samples also depend on the
 * texts before it. Throws if no pauses separate the texts, as with a voice that has an echo.
 */
export async function speakAll(
  texts: readonly string[],
  delivery: Delivery,
): Promise<readonly Float32Array[]> {
  const spoken = await clipsOf(optionsOf(delivery), splitAtPauses, texts)
  if (spoken.length !== texts.length) throw new Error(`${texts.length} texts, ${spoken.length} clips`)
  return spoken
}

function optionsOf({ voice, speed, pitch }: Delivery): string[] {
  return ['-v', voice, '-s', String(speed), '-p', String(pitch)]
}

/** Changes with the processing of clips, so that cached ones are created again. */
const processing = 'rumble, level and trim, 3'

/** Shortest pause between two texts. espeak-ng pauses 0.3 s after a text, and at most 0.1 s within a phrase. */
const pauseSamples = 0.2 * speechRate

/** Speaks with arguments of espeak-ng, and the texts of lines. `split` returns the parts of the result. */
function clipsOf(
  args: readonly string[],
  split: (samples: Float32Array) => readonly Float32Array[],
  lines: readonly string[] = [],
): Promise<readonly Float32Array[]> {
  const speakClips = async (): Promise<readonly Float32Array[]> => {
    const generate = async (to: string) => {
      const spoken = decodeWav(await runEspeak(args, lines))
      const parts = split(resample(spoken, speechRate)).map(levelledVoice)
      await writeFloatWav(to, joinWithPauses(parts), speechRate)
    }
    const program = ['espeak-ng', version ?? '', processing, ...lines]
    return split(decodeWav(await readFile(await generatedFile('.wav', { program, args, generate }))).samples)
  }
  const key = JSON.stringify([args, lines])
  const spoken = clips.get(key) ?? speakClips()
  clips.set(key, spoken)
  return spoken
}

/** Returns a WAV file. */
async function runEspeak(args: readonly string[], lines: readonly string[]): Promise<Buffer> {
  const running = run('espeak-ng', ['--stdout', ...args], { encoding: 'buffer', maxBuffer: 2 ** 28 })
  running.child.stdin?.end(lines.map((line) => `${line}\n`).join(''))
  const { stdout } = await running
  // The size of the samples, which espeak-ng does not know when it writes the header.
  stdout.writeUInt32LE(stdout.length - 44, 40)
  return stdout
}

/** Returns the parts of a sound between its pauses, without them. */
function splitAtPauses(samples: Float32Array): Float32Array[] {
  const parts: Float32Array[] = []
  let [start, end] = [0, 0]
  for (const [at, sample] of samples.entries()) {
    if (sample === 0) continue
    if (at - end >= pauseSamples) {
      if (end > start) parts.push(samples.slice(start, end))
      start = at
    }
    end = at + 1
  }
  return end > start ? [...parts, samples.slice(start, end)] : parts
}

function joinWithPauses(parts: readonly Float32Array[]): Float32Array {
  const pause = new Float32Array(pauseSamples)
  return concatSamples(parts.flatMap((part, index) => (index === 0 ? [part] : [pause, part])))
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
    if (Math.abs(samples[at] ?? 0) < edgeLevel) return false
    const part = samples.subarray(Math.max(0, from), from + edgeSamples)
    const power = part.reduce((sum, sample) => sum + sample * sample, 0) / edgeSamples
    return power >= edgeLevel * edgeLevel
  }
  let [start, end] = [0, samples.length]
  while (start < end && !isLoud(start, start)) start += 1
  while (end > start && !isLoud(end - 1, end - edgeSamples)) end -= 1
  return samples.slice(start, end)
}
