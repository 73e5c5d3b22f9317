import { concatSamples } from '../../media/audio/windows.ts'
import { speechRate } from '../../media/speech/speech-types.ts'
import { FilledGaps, gapLogArgs } from './filled-holes.ts'
import { fixedSizeChunks, streamOutput } from './output.ts'
import { inputArgs } from './run.ts'
import { monoFilter } from './standard-sound.ts'

interface DecodeVoiceOptions {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Where it begins and how much of it is wanted, seconds; left out, all of it. */
  readonly from?: number
  readonly seconds?: number
  /** Hz; left out, as speech engines hear. */
  readonly rate?: number
  /** Told at the end how many seconds up to there were missing or did not decode; silence stands for them. */
  readonly onGaps?: (seconds: number) => void
}

/** Seconds of sound in one piece. */
const voiceChunkSeconds = 0.5

/** Decodes the first sound of a file as one channel: samples from -1 to 1, in pieces, no faster than they are taken. */
export async function* decodeVoice(
  path: string,
  { signal, timeoutMs, from = 0, seconds, rate = speechRate, onGaps }: DecodeVoiceOptions,
): AsyncGenerator<Float32Array> {
  const begin = from > 0 ? [`atrim=start=${from.toFixed(6)},asetpts=PTS-STARTPTS`] : []
  const end = seconds === undefined ? [] : [`atrim=end=${seconds.toFixed(6)}`]
  const filters = [monoFilter(rate), ...begin, ...end].join(',')
  const holes = new FilledGaps()
  const output = ['-map', '0:a:0', '-af', filters, '-f', 'f32le', 'pipe:1']
  const args = [...(onGaps ? gapLogArgs : []), ...inputArgs(path), ...output]
  const job = { args, signal, timeoutMs, ...(onGaps && { readLog: holes.read }) }
  const size = Math.round(voiceChunkSeconds * rate) * Float32Array.BYTES_PER_ELEMENT
  let samples = 0
  for await (const piece of fixedSizeChunks(size, streamOutput(job), { rest: 'told' })) {
    const sound = new Float32Array(piece.buffer, 0, Math.floor(piece.length / Float32Array.BYTES_PER_ELEMENT))
    samples += sound.length
    yield sound
  }
  // A file's own words may look like the log's.
  onGaps?.(Math.min(holes.seconds, samples / rate))
}

/** As `decodeVoice`, all at once; for what is short. */
export async function readVoice(
  path: string,
  wanted: DecodeVoiceOptions,
): Promise<Float32Array<ArrayBuffer>> {
  const pieces: Float32Array[] = []
  for await (const piece of decodeVoice(path, wanted)) pieces.push(piece)
  return concatSamples(pieces)
}
