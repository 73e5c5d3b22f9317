import { concatSamples } from '../../media/audio/windows.ts'
import { speechRate } from '../../media/speech/speech-types.ts'
import { FilledGaps, gapLogArgs } from './filled-holes.ts'
import { fixedSizeChunks, streamOutput } from './output.ts'
import { inputArgs } from './run.ts'
import { monoFilter } from './standard-sound.ts'

interface DecodeVoiceOptions {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Start and duration, seconds. Default: everything. */
  readonly from?: number
  readonly seconds?: number
  /** Sample rate, Hz. Default: the rate of speech engines. */
  readonly rate?: number
  /**
   * Called at the end with the seconds of sound that were missing or did not decode and were replaced by
   * silence.
   */
  readonly onGaps?: (seconds: number) => void
}

/** Duration of a chunk, seconds. */
const voiceChunkSeconds = 0.5

/** Decodes the first audio stream to mono samples, -1 to 1, in chunks, no faster than they are consumed. */
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
  // A text in the file may imitate log lines, so the value is limited.
  onGaps?.(Math.min(holes.seconds, samples / rate))
}

/** Same as `decodeVoice`, but returns all samples at once. Intended for short sounds. */
export async function readVoice(
  path: string,
  wanted: DecodeVoiceOptions,
): Promise<Float32Array<ArrayBuffer>> {
  const pieces: Float32Array[] = []
  for await (const piece of decodeVoice(path, wanted)) pieces.push(piece)
  return concatSamples(pieces)
}
