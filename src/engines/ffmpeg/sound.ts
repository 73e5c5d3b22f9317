import { concatSamples } from '../../media/audio/windows.ts'
import { speechRate } from '../../media/speech/speech-types.ts'
import { streamDecoded } from './stream-decoded.ts'
import { fixedSizeChunks } from '../../platform/streams.ts'
import { inputArgs, runRaw } from './run.ts'
import { monoFilter, padTo, soundRate, stereoFilter, truePeakLimiter } from './sound-filters.ts'

/** The first audio stream of a file, for a result of given duration. */
export interface StereoSound {
  readonly path: string
  readonly mono: boolean
  readonly seconds: number
  /** Sample rate, Hz. Default: the rate of results. */
  readonly rate?: number
}

/**
 * Returns filters that produce regular stereo from 0 with exactly the requested duration, padded with
 * silence.
 */
export function soundFilters({ mono, seconds, rate }: Omit<StereoSound, 'path'>): string {
  return `${stereoFilter(mono, rate)},${padTo(seconds)},atrim=end=${seconds.toFixed(6)}`
}

/** Duration of a chunk, seconds. */
const soundChunkSeconds = 0.1

const stereoSampleBytes = 2 * Float32Array.BYTES_PER_ELEMENT

/** Decodes the output of `soundFilters`: interleaved stereo samples, -1 to 1, in chunks. */
export async function* decodeSound(
  sound: StereoSound,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): AsyncGenerator<Float32Array> {
  const args = [
    ...inputArgs(sound.path),
    ...['-map', '0:a:0', '-af', soundFilters(sound), '-f', 'f32le', 'pipe:1'],
  ]
  const size = Math.round(soundChunkSeconds * (sound.rate ?? soundRate)) * stereoSampleBytes
  for await (const piece of fixedSizeChunks(size, streamDecoded({ args, signal, timeoutMs }), {
    rest: 'kept',
  })) {
    yield new Float32Array(piece.buffer, 0, Math.floor(piece.length / Float32Array.BYTES_PER_ELEMENT))
  }
}

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
  const gaps = new FilledGaps()
  const output = ['-map', '0:a:0', '-af', filters, '-f', 'f32le', 'pipe:1']
  const args = [...inputArgs(path), ...output]
  const job = { args, signal, timeoutMs, ...(onGaps && { onLine: gaps.read }) }
  const size = Math.round(voiceChunkSeconds * rate) * Float32Array.BYTES_PER_ELEMENT
  let samples = 0
  for await (const piece of fixedSizeChunks(size, streamDecoded(job), { rest: 'kept' })) {
    const sound = new Float32Array(piece.buffer, 0, Math.floor(piece.length / Float32Array.BYTES_PER_ELEMENT))
    samples += sound.length
    yield sound
  }
  // A text in the file may imitate log lines, so the value is limited.
  onGaps?.(Math.min(gaps.seconds, samples / rate))
}

/** Same as `decodeVoice`, but returns all samples at once. Intended for short sounds. */
export async function readVoice(
  path: string,
  options: DecodeVoiceOptions,
): Promise<Float32Array<ArrayBuffer>> {
  const pieces: Float32Array[] = []
  for await (const piece of decodeVoice(path, options)) pieces.push(piece)
  return concatSamples(pieces)
}

/** The resampler logs its rates once, then each filled gap in samples of the first rate. */
const resamplerLine = /^\[Parsed_aresample_\d+ @ [^\]]*\] \[verbose\] ch:.* r:(\d+)Hz -> /
const silenceLine =
  /^\[Parsed_aresample_\d+ @ [^\]]*\] \[SWR @ [^\]]*\] \[verbose\] adding (\d+) audio samples of silence/

/** Sums the seconds of silence that replace missing, undecodable or late sound, from ffmpeg's log. */
class FilledGaps {
  #seconds = 0
  #rate = Infinity

  get seconds(): number {
    return this.#seconds
  }

  /** Reads a line of the log. */
  readonly read = (line: string): void => {
    const [, rate] = resamplerLine.exec(line) ?? []
    const [, samples] = silenceLine.exec(line) ?? []
    if (rate !== undefined) this.#rate = Number(rate)
    if (samples !== undefined) this.#seconds += Number(samples) / this.#rate
  }
}

/** Bytes of one stereo sample as two 32-bit floats, the format of sound inside this process. */
export const pcmBytes = 2 * Float32Array.BYTES_PER_ELEMENT

interface PcmJob {
  readonly cwd: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

const pcmFormat = ['-f', 'f32le', '-ar', String(soundRate), '-ac', '2']

/**
 * Decodes sound to interleaved 48 kHz stereo floats, no faster than it is consumed.
 *
 * @param args inputs and a filter graph that ends in [a]
 */
export function decodePcm(args: readonly string[], job: PcmJob): AsyncGenerator<Buffer> {
  return streamDecoded({ ...job, args: [...args, '-map', '[a]', ...pcmFormat, 'pipe:1'] })
}

/** Interleaved 48 kHz stereo floats to encode, with their exact number of samples. */
export interface Pcm {
  readonly samples: number
  /** Generates the samples until the signal reports that the consumer ended. */
  readonly input: (ended: AbortSignal) => AsyncIterable<Uint8Array>
  /** Whether samples may exceed those of the sources. */
  readonly isMixed: boolean
}

/** Encodes sound as AAC. Limits the peaks of a mix before that. */
export async function encodeAac(path: string, sound: Pcm, job: PcmJob): Promise<void> {
  await runRaw({ ...job, input: sound.input, args: [...pcmInput, ...aacArgs(sound), path] })
}

/** The ffmpeg input that reads these floats from standard input. */
export const pcmInput: readonly string[] = ['-protocol_whitelist', 'pipe', ...pcmFormat, '-i', 'pipe:0']

/** Returns the output options that encode this input. */
export function aacArgs({ samples, isMixed }: Pcm): string[] {
  const limited = isMixed ? [truePeakLimiter()] : []
  const filters = [padTo(samples / soundRate), ...limited, `atrim=end_sample=${samples}`]
  return ['-af', filters.join(','), '-c:a', 'aac', '-b:a', '192k']
}
