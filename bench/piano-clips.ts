import { basename } from 'node:path'
import type { BasicSoundBank } from 'spessasynth_core'
import { resolvePack } from '../src/engines/packs/resolve.ts'
import { readSoundFont } from '../src/engines/piano/piano.ts'
import { loadSampledPiano, playPerformance } from '../src/engines/piano/synthesizer.ts'
import { pianoSampleRate } from '../src/media/piano/frames.ts'
import type { Performance } from '../src/media/piano/note.ts'
import { conditions, type Condition } from '../test/piano/recording-conditions.ts'
import { readMusic } from '../test/piano/playable-notes.ts'
import { kinds, makePiece, type Kind } from '../test/piano/generated-pieces.ts'

/** A piece as it sounds, one channel of 22.05 kHz. */
export interface Clip {
  readonly truth: Performance
  readonly sound: Float32Array
  /** Of generated pieces their kind, else the file's name. */
  readonly kind: string
  readonly condition: Condition
}

export interface ClipsOptions {
  /** A path, and after `#` the program of General MIDI; left out, the grand piano. `salamander` is the recorded one. */
  readonly soundFont: string
  /** Seeds of generated pieces, or MIDI files, all of whose notes but the drums' are played. */
  readonly pieces: readonly string[]
  readonly wanted: readonly Condition[]
}

/** Every third seed is a soft piece. */
const soft = 30

/** Root mean square that the loudest 0.4 s of a recording is brought to before it is heard. */
const normalLevel = 0.1

/** Clips of all kinds of piece, or of files, on a SoundFont, under each condition. */
export async function* clipsOf({ soundFont, pieces, wanted }: ClipsOptions): AsyncGenerator<Clip> {
  const [path = '', program = '0'] = soundFont.split('#')
  const bank = await bankOf(path)
  for (const piece of pieces) {
    for (const { kind, truth } of await truthsOf(piece)) {
      const seconds = Math.max(...truth.notes.map(({ end }) => end)) + 1.5
      const dry = await soundOf({ bank, program: Number(program) }, truth, seconds)
      for (const condition of wanted) {
        yield { truth, kind, condition, sound: levelled(conditions[condition](dry, pianoSampleRate)) }
      }
    }
  }
}

async function truthsOf(piece: string): Promise<Pick<Clip, 'kind' | 'truth'>[]> {
  if (piece.endsWith('.mid')) return [{ kind: basename(piece), truth: await readMusic(piece) }]
  const seed = Number(piece)
  return (Object.keys(kinds) as Kind[]).map((kind) => ({
    kind,
    truth: makePiece(kind, seed, seed % 3 === 0 ? soft : undefined),
  }))
}

/** A performance as it sounds, one channel of 22.05 kHz. */
export async function soundOf(
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
  return halved(mono)
}

/** A SoundFont, or the recorded piano. */
export async function bankOf(path: string): Promise<BasicSoundBank> {
  return path === 'salamander'
    ? await loadSampledPiano(await resolvePack('piano-samples'))
    : await readSoundFont(path)
}

/** At half the rate, by a windowed sinc. */
function halved(sound: readonly number[]): Float32Array {
  const [reach, pass] = [31, 0.46]
  const weights = Array.from({ length: 2 * reach + 1 }, (_, index) => {
    const x = index - reach
    const sinc = x === 0 ? pass : Math.sin(Math.PI * pass * x) / (Math.PI * x)
    return sinc * (0.54 + 0.46 * Math.cos((Math.PI * x) / reach))
  })
  return Float32Array.from({ length: Math.floor(sound.length / 2) }, (_, at) =>
    weights.reduce((sum, weight, index) => sum + weight * (sound[2 * at + index - reach] ?? 0), 0),
  )
}

function levelled(sound: Float32Array): Float32Array {
  const block = Math.round(0.4 * pianoSampleRate)
  let loudest = 0
  for (let from = 0; from < sound.length; from += block) {
    const energy = sound.subarray(from, from + block).reduce((sum, sample) => sum + sample * sample, 0)
    loudest = Math.max(loudest, Math.sqrt(energy / block))
  }
  return sound.map((sample) => (normalLevel * sample) / Math.max(loudest, 1e-9))
}
