import { inPiecesOf, outputOf } from './output.ts'
import { inputArgs } from './run.ts'
import { soundRate, stereo } from './standard-sound.ts'

/** The first sound of a file, as long as a result is. */
export interface Sound {
  readonly path: string
  readonly mono: boolean
  readonly seconds: number
  /** Hz; left out, as results have it. */
  readonly rate?: number
}

/** Filters to even stereo that begins at 0 and lasts exactly as long as asked, in silence where the source ends. */
export function soundFilters({ mono, seconds, rate }: Omit<Sound, 'path'>): string {
  return `${stereo(mono, rate)},apad,atrim=end=${seconds.toFixed(6)}`
}

/** Seconds of sound in one piece. */
const pieceSeconds = 0.1

const frameBytes = 2 * Float32Array.BYTES_PER_ELEMENT

/** Decodes what `soundFilters` makes: samples from -1 to 1, left and right in turn, in pieces. */
export async function* decodeSound(
  sound: Sound,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): AsyncGenerator<Float32Array> {
  const args = [
    ...inputArgs(sound.path),
    ...['-map', '0:a:0', '-af', soundFilters(sound), '-f', 'f32le', 'pipe:1'],
  ]
  const size = Math.round(pieceSeconds * (sound.rate ?? soundRate)) * frameBytes
  for await (const piece of inPiecesOf(size, outputOf({ args, signal, timeoutMs }), { rest: 'told' })) {
    yield new Float32Array(piece.buffer, 0, Math.floor(piece.length / Float32Array.BYTES_PER_ELEMENT))
  }
}
