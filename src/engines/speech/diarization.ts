import { decodePowerset, SpeakerTracker } from '../../media/speech/speaker-tracks.ts'
import { clusterEmbeddings, speakerTurns } from '../../media/speech/speaker-turns.ts'
import { type SpeakerTurn, speechRate } from '../../media/speech/speech-types.ts'
import { openOnnxModel } from '../onnx/session.ts'
import { findPack, resolvePack } from '../packs/use.ts'
import { invalidResult, startSherpaProcess } from './sherpa/process.ts'
import type { SpeechCallOptions } from './speech-engines.ts'

/** The model hears 10 s at once and tells of a frame each 270 samples, of 991 samples each. */
const windowSamples = 10 * speechRate
const frameStep = 270
const frameLength = 991
const windowFrames = Math.floor((windowSamples - frameLength) / frameStep) + 1
/** A new window begins about every 2.5 s. */
const hopFrames = 148
const hopLength = hopFrames * frameStep

/** Level that the model hears best, root mean square, and the most that is amplified for it. */
const targetRms = 0.08
const maxGain = 30

/** Least likeness of two voices that are one person's, a cosine, and least sound to tell it by, samples. */
const minSimilarity = 0.5
const minVoiceSamples = 0.6 * speechRate

/** Tells who speaks when. */
export interface Diarizer extends AsyncDisposable {
  /** Whether voices are known again after a silence of 10 s or more; without it they are new ones then. */
  readonly name: 'pyannote-segmentation' | 'pyannote-segmentation with speaker-embedding'
  /** Turns of all speakers in sound of 16 kHz, in order; where two speak at once they overlap. */
  diarize(
    sound: AsyncIterable<Float32Array> | Iterable<Float32Array>,
    wish: SpeechCallOptions,
  ): Promise<SpeakerTurn[]>
}

/** Opens the model that tells speakers apart; 6401 where it, or what runs it, is not there. */
export async function openDiarizer(signal: AbortSignal): Promise<Diarizer> {
  const path = await resolvePack('speaker-segmentation', { signal })
  await using opened = new AsyncDisposableStack()
  const model = opened.use(await openOnnxModel('speaker-segmentation', path))
  const embedder = await openSpeakerEmbedder(signal)
  if (embedder) opened.use(embedder)

  const hear = async (heard: Float32Array): Promise<Uint8Array[]> => {
    const gain = Math.min(maxGain, targetRms / (rootMeanSquare(heard) || 1))
    const x = new model.onnx.Tensor(
      'float32',
      heard.map((sample) => sample * gain),
      [1, 1, windowSamples],
    )
    const { y } = await model.run({ x })
    return decodePowerset(y?.data as Float32Array, windowFrames)
  }

  const kept = opened.move()
  return {
    name: embedder ? 'pyannote-segmentation with speaker-embedding' : 'pyannote-segmentation',
    async diarize(sound, { signal: until }) {
      const tracks = new SpeakerTracker({ window: windowFrames, hop: hopFrames })
      const voices = new Map<number, Float32Array>()
      for await (const heard of overlappingWindows(sound)) {
        until.throwIfAborted()
        const active = await hear(heard)
        const found = tracks.add(active)
        for (const [index, track] of found.entries()) {
          if (track < 0 || !embedder) continue
          const own = soloSpeech(heard, active, index)
          const voice = own.length < minVoiceSamples ? null : await embedder.embed(own, { signal: until })
          const before = voices.get(track)
          if (voice) voices.set(track, before ? before.map((value, at) => value + (voice[at] ?? 0)) : voice)
        }
      }
      tracks.end()
      const all = new Set(tracks.turns.map(({ track }) => track))
      const groups = embedder
        ? clusterTracks(voices, tracks.apart)
        : new Map([...all].map((track) => [track, track] as const))
      return speakerTurns(tracks.turns, { groups, seconds: frameTime })
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Where a frame begins: what it tells is of the middle of what it hears. */
function frameTime(frame: number): number {
  return Math.max(0, frame * frameStep + (frameLength - frameStep) / 2) / speechRate
}

/** Windows of sound that overlap, one memory; the last is filled up with silence. */
async function* overlappingWindows(
  sound: AsyncIterable<Float32Array> | Iterable<Float32Array>,
): AsyncGenerator<Float32Array> {
  const heard = new Float32Array(windowSamples)
  let filled = 0
  let isNew = false
  for await (const piece of sound) {
    for (let at = 0; at < piece.length;) {
      const count = Math.min(windowSamples - filled, piece.length - at)
      heard.set(piece.subarray(at, at + count), filled)
      filled += count
      at += count
      isNew = true
      if (filled < windowSamples) break
      yield heard
      heard.copyWithin(0, hopLength)
      filled = windowSamples - hopLength
      isNew = false
    }
  }
  if (isNew) yield heard.fill(0, filled)
}

/** What one voice of a window says alone. */
function soloSpeech(heard: Float32Array, active: readonly Uint8Array[], index: number): Float32Array {
  const own = new Float32Array(heard.length)
  let length = 0
  for (let frame = 0; frame < windowFrames; frame += 1) {
    if (active.some((voice, other) => (voice[frame] === 1) !== (other === index))) continue
    const from = frame * frameStep + (frameLength - frameStep) / 2
    const part = heard.subarray(from, from + frameStep)
    own.set(part, length)
    length += part.length
  }
  return own.subarray(0, length)
}

function clusterTracks(
  voices: ReadonlyMap<number, Float32Array>,
  apart: ReadonlySet<string>,
): ReadonlyMap<number, number> {
  const tracks = [...voices.keys()]
  const vectors = [...voices.values()].map((voice) => {
    const length = Math.hypot(...voice)
    return voice.map((value) => value / length)
  })
  const isApart = (one: number, other: number) => {
    const pair = [tracks[one] ?? 0, tracks[other] ?? 0].toSorted((a, b) => a - b)
    return apart.has(pair.join(' '))
  }
  const groups = clusterEmbeddings(vectors, { least: minSimilarity, apart: isApart })
  return new Map(tracks.map((track, index) => [track, groups[index] ?? 0]))
}

function rootMeanSquare(samples: Float32Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return Math.sqrt(sum / samples.length)
}

/** Tells voices apart. */
interface SpeakerEmbedder extends AsyncDisposable {
  readonly name: string
  /** What is a voice's own in sound of 16 kHz, a vector of length 1; null where there is too little of it. */
  embed(sound: Float32Array, wish: SpeechCallOptions): Promise<Float32Array | null>
}

/** Opens the model for it; null where it is not there. */
export async function openSpeakerEmbedder(signal: AbortSignal): Promise<SpeakerEmbedder | null> {
  const model = await findPack('speaker-embedding')
  if (model === null) return null
  const name = 'speaker-embedding'
  const settings = { model, numThreads: 2, provider: 'cpu' }
  const sherpa = await startSherpaProcess({ model: name, kind: 'embedding', settings }, { signal })
  return {
    name,
    async embed(sound, { signal: until }) {
      const told = await sherpa.request({ samples: sound, rate: speechRate }, until)
      if (told === null) return null
      if (!(told instanceof Float32Array) || told.length === 0)
        throw invalidResult(name, 'its answer is no vector')
      const length = Math.hypot(...told)
      if (!Number.isFinite(length)) throw invalidResult(name, 'its vector has no numbers')
      return length === 0 ? null : told.map((value) => value / length)
    },
    [Symbol.asyncDispose]: () => sherpa[Symbol.asyncDispose](),
  }
}
