import { fixedWindows, type SampleSource } from '../../media/audio/windows.ts'
import { decodePowerset, SpeakerTracker } from '../../media/speech/speaker-tracks.ts'
import { clusterEmbeddings, speakerTurns } from '../../media/speech/speaker-turns.ts'
import { type SpeakerTurn, speechRate } from '../../media/speech/speech-types.ts'
import { openOnnxModel } from '../onnx/session.ts'
import { findPack, resolvePack } from '../packs/resolve.ts'
import { invalidResult, startSherpaProcess } from './sherpa/process.ts'
import type { SpeechCallOptions } from './speech-engines.ts'

/** The model takes windows of 10 s. Its frames are 991 samples long and 270 samples apart. */
const diarizationWindow = 10 * speechRate
const frameStep = 270
const frameLength = 991
const windowFrames = Math.floor((diarizationWindow - frameLength) / frameStep) + 1
/** Windows start about every 2.5 s. */
const hopFrames = 148
const windowLayout = { size: diarizationWindow, step: hopFrames * frameStep }

/** RMS to which windows are amplified for the model, and the highest gain. */
const segmentationRms = 0.08
const maxGain = 30

/** Lowest cosine similarity of two embeddings of one speaker, and shortest speech for an embedding, samples. */
const minSpeakerSimilarity = 0.5
const minVoiceSamples = 0.6 * speechRate

/** Speaker diarization: who speaks when. */
export interface Diarizer extends AsyncDisposable {
  /** With embeddings, a speaker is recognised again after 10 s of silence or more; without them it becomes a new speaker. */
  readonly name: 'pyannote-segmentation' | 'pyannote-segmentation with speaker-embedding'
  /** Speaker turns in mono sound at 16 kHz, sorted by start; turns overlap where two people speak at once. */
  diarize(sound: SampleSource, options: SpeechCallOptions): Promise<SpeakerTurn[]>
}

/** Opens the segmentation model (pyannote) and, if installed, the embedding model. Throws 6401 if the former is missing. */
export async function openDiarizer(signal: AbortSignal): Promise<Diarizer> {
  const path = await resolvePack('speaker-segmentation', { signal })
  await using opened = new AsyncDisposableStack()
  const model = opened.use(await openOnnxModel('speaker-segmentation', path))
  const embedder = await openSpeakerEmbedder(signal)
  if (embedder) opened.use(embedder)

  const detectSpeakers = async (samples: Float32Array): Promise<Uint8Array[]> => {
    const gain = Math.min(maxGain, segmentationRms / (rootMeanSquare(samples) || 1))
    const x = new model.onnx.Tensor(
      'float32',
      samples.map((sample) => sample * gain),
      [1, 1, diarizationWindow],
    )
    const { y } = await model.run({ x })
    return decodePowerset(y?.data as Float32Array, windowFrames)
  }

  const kept = opened.move()
  return {
    name: embedder ? 'pyannote-segmentation with speaker-embedding' : 'pyannote-segmentation',
    async diarize(sound, { signal: requestSignal }) {
      const tracks = new SpeakerTracker({ window: windowFrames, hop: hopFrames })
      const voices = new Map<number, Float32Array>()
      for await (const samples of fixedWindows(sound, windowLayout)) {
        requestSignal.throwIfAborted()
        const active = await detectSpeakers(samples)
        const found = tracks.add(active)
        for (const [index, track] of found.entries()) {
          if (track < 0 || !embedder) continue
          const own = soloSpeech(samples, active, index)
          const voice =
            own.length < minVoiceSamples ? null : await embedder.embed(own, { signal: requestSignal })
          const before = voices.get(track)
          if (voice) voices.set(track, before ? before.map((value, at) => value + (voice[at] ?? 0)) : voice)
        }
      }
      tracks.end()
      const all = new Set(tracks.turns.map(({ track }) => track))
      const groups = embedder
        ? clusterTracks(voices, tracks.simultaneousTracks)
        : new Map([...all].map((track) => [track, track] as const))
      return speakerTurns(tracks.turns, { groups, seconds: diarizationFrameTime })
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Time of a frame, seconds: the middle of its samples. */
function diarizationFrameTime(frame: number): number {
  return Math.max(0, frame * frameStep + (frameLength - frameStep) / 2) / speechRate
}

/** Samples of a window in which only the speaker `index` speaks, concatenated. */
function soloSpeech(samples: Float32Array, active: readonly Uint8Array[], index: number): Float32Array {
  const own = new Float32Array(samples.length)
  let length = 0
  for (let frame = 0; frame < windowFrames; frame += 1) {
    if (active.some((voice, other) => (voice[frame] === 1) !== (other === index))) continue
    const from = frame * frameStep + (frameLength - frameStep) / 2
    const part = samples.subarray(from, from + frameStep)
    own.set(part, length)
    length += part.length
  }
  return own.subarray(0, length)
}

function clusterTracks(
  voices: ReadonlyMap<number, Float32Array>,
  simultaneousTracks: ReadonlySet<string>,
): ReadonlyMap<number, number> {
  const tracks = [...voices.keys()]
  const vectors = [...voices.values()].map((voice) => {
    const length = Math.hypot(...voice)
    return voice.map((value) => value / length)
  })
  const cannotLink = (one: number, other: number) => {
    const pair = [tracks[one] ?? 0, tracks[other] ?? 0].toSorted((a, b) => a - b)
    return simultaneousTracks.has(pair.join(' '))
  }
  const groups = clusterEmbeddings(vectors, { minSimilarity: minSpeakerSimilarity, cannotLink })
  return new Map(tracks.map((track, index) => [track, groups[index] ?? 0]))
}

function rootMeanSquare(samples: Float32Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return Math.sqrt(sum / samples.length)
}

/** Computes speaker embeddings. */
interface SpeakerEmbedder extends AsyncDisposable {
  readonly name: string
  /** Embedding of mono sound at 16 kHz, a vector of length 1; null if the sound is too short. */
  embed(sound: Float32Array, options: SpeechCallOptions): Promise<Float32Array | null>
}

/** Opens the embedding model; null if it is not installed. */
export async function openSpeakerEmbedder(signal: AbortSignal): Promise<SpeakerEmbedder | null> {
  const model = await findPack('speaker-embedding')
  if (model === null) return null
  const name = 'speaker-embedding'
  const settings = { model, numThreads: 2, provider: 'cpu' }
  const sherpa = await startSherpaProcess({ model: name, kind: 'embedding', settings }, { signal })
  return {
    name,
    async embed(sound, { signal: requestSignal }) {
      const embedding = await sherpa.request({ samples: sound, rate: speechRate }, requestSignal)
      if (embedding === null) return null
      if (!(embedding instanceof Float32Array) || embedding.length === 0)
        throw invalidResult(name, 'the embedding is not a vector')
      const length = Math.hypot(...embedding)
      if (!Number.isFinite(length)) throw invalidResult(name, 'the embedding contains NaN or infinite values')
      return length === 0 ? null : embedding.map((value) => value / length)
    },
    [Symbol.asyncDispose]: () => sherpa[Symbol.asyncDispose](),
  }
}
