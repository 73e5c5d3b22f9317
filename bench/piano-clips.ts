import { basename } from 'node:path'
import type { BasicSoundBank } from 'spessasynth_core'
import { resolvePack } from '../src/engines/packs/resolve.ts'
import { readSoundFont } from '../src/engines/piano/piano.ts'
import { loadSampledPiano, playPerformance } from '../src/engines/piano/synthesizer.ts'
import { pianoSampleRate } from '../src/media/piano/frames.ts'
import type { Performance } from '../src/media/piano/note.ts'
import { conditions, type Condition } from '../test/piano/recording-conditions.ts'
import { readMusic } from '../test/piano/playable-notes.ts'
import { kinds, generatePiece, type Kind } from '../test/piano/generated-pieces.ts'

/** A rendered piece. Sound: mono at 22.05 kHz. */
export interface Clip {
  readonly truth: Performance
  readonly sound: Float32Array
  /** Kind of a generated piece, or file name. */
  readonly kind: string
  readonly condition: Condition
}

export interface ClipsOptions {
  /** Path, with an optional `#` and General MIDI program. Default: grand piano. `salamander`: the sampled piano. */
  readonly soundFont: string
  /** Seeds of generated pieces, or MIDI files, which are played without drums. */
  readonly pieces: readonly string[]
  readonly conditionNames: readonly Condition[]
}

/** Mean velocity of soft pieces: every third seed. */
const softVelocity = 30

/** Root mean square of the loudest 0.4 s of a recording after normalisation. */
const normalLevel = 0.1

/** Yields clips of all kinds of pieces, or of files, on a SoundFont, under each condition. */
export async function* clipsOf({ soundFont, pieces, conditionNames }: ClipsOptions): AsyncGenerator<Clip> {
  const [path = '', program = '0'] = soundFont.split('#')
  const bank = await loadBank(path)
  for (const piece of pieces) {
    for (const { kind, truth } of await performancesOf(piece)) {
      const seconds = Math.max(...truth.notes.map(({ end }) => end)) + 1.5
      const undegraded = await renderSound({ bank, program: Number(program) }, truth, seconds)
      for (const condition of conditionNames) {
        yield { truth, kind, condition, sound: normalise(conditions[condition](undegraded, pianoSampleRate)) }
      }
    }
  }
}

async function performancesOf(piece: string): Promise<Pick<Clip, 'kind' | 'truth'>[]> {
  if (piece.endsWith('.mid')) return [{ kind: basename(piece), truth: await readMusic(piece) }]
  const seed = Number(piece)
  return (Object.keys(kinds) as Kind[]).map((kind) => ({
    kind,
    truth: generatePiece(kind, seed, seed % 3 === 0 ? softVelocity : undefined),
  }))
}

/** Renders a performance as mono at 22.05 kHz. */
export async function renderSound(
  { bank, program = 0 }: { readonly bank: BasicSoundBank; readonly program?: number },
  truth: Performance,
  seconds: number,
): Promise<Float32Array> {
  const rate = 2 * pianoSampleRate
  const mono: number[] = []
  const samples = Math.round(seconds * rate)
  for await (const part of playPerformance(bank, truth, { rate, samples, program })) {
    for (let at = 0; at < part.length; at += 2) mono.push(((part[at] ?? 0) + (part[at + 1] ?? 0)) / 2)
  }
  return halveRate(mono)
}

/** Loads a SoundFont, or the sampled piano. */
export async function loadBank(path: string): Promise<BasicSoundBank> {
  return path === 'salamander'
    ? await loadSampledPiano(await resolvePack('piano-samples'))
    : await readSoundFont(path)
}

/** Halves the sample rate, by a windowed sinc filter. */
function halveRate(sound: readonly number[]): Float32Array {
  const [halfWidth, cutoff] = [31, 0.46]
  const weights = Array.from({ length: 2 * halfWidth + 1 }, (_, index) => {
    const x = index - halfWidth
    const sinc = x === 0 ? cutoff : Math.sin(Math.PI * cutoff * x) / (Math.PI * x)
    return sinc * (0.54 + 0.46 * Math.cos((Math.PI * x) / halfWidth))
  })
  return Float32Array.from({ length: Math.floor(sound.length / 2) }, (_, at) =>
    weights.reduce((sum, weight, index) => sum + weight * (sound[2 * at + index - halfWidth] ?? 0), 0),
  )
}

function normalise(sound: Float32Array): Float32Array {
  const block = Math.round(0.4 * pianoSampleRate)
  let maxRms = 0
  for (let from = 0; from < sound.length; from += block) {
    const energy = sound.subarray(from, from + block).reduce((sum, sample) => sum + sample * sample, 0)
    maxRms = Math.max(maxRms, Math.sqrt(energy / block))
  }
  return sound.map((sample) => (normalLevel * sample) / Math.max(maxRms, 1e-9))
}

/** Yields a sound as one chunk. */
export async function* singleChunk(sound: Float32Array): AsyncGenerator<Float32Array> {
  yield await Promise.resolve(sound)
}
