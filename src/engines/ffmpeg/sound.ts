import { fixedSizeChunks, streamOutput } from './output.ts'
import { inputArgs } from './run.ts'
import { soundRate, stereoFilter } from './standard-sound.ts'

/** The first sound of a file, as long as a result is. */
export interface StereoSound {
  readonly path: string
  readonly mono: boolean
  readonly seconds: number
  /** Hz; left out, as results have it. */
  readonly rate?: number
}

/** Filters to even stereo that begins at 0 and lasts exactly as long as asked, in silence where the source ends. */
export function soundFilters({ mono, seconds, rate }: Omit<StereoSound, 'path'>): string {
  return `${stereoFilter(mono, rate)},apad,atrim=end=${seconds.toFixed(6)}`
}

/** Seconds of sound in one piece. */
const soundChunkSeconds = 0.1

const stereoSampleBytes = 2 * Float32Array.BYTES_PER_ELEMENT

/** Decodes what `soundFilters` makes: samples from -1 to 1, left and right in turn, in pieces. */
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
