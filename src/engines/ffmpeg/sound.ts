import { fixedSizeChunks, streamOutput } from './output.ts'
import { inputArgs } from './run.ts'
import { soundRate, stereoFilter } from './standard-sound.ts'

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
  return `${stereoFilter(mono, rate)},apad,atrim=end=${seconds.toFixed(6)}`
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
  for await (const piece of fixedSizeChunks(size, streamOutput({ args, signal, timeoutMs }), {
    rest: 'told',
  })) {
    yield new Float32Array(piece.buffer, 0, Math.floor(piece.length / Float32Array.BYTES_PER_ELEMENT))
  }
}
