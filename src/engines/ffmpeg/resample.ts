import type { MonoAudio } from '../../media/speech/speech-types.ts'
import { streamOutput } from './output.ts'

/** Time limit, ms. Resampling a few minutes of sound takes a second. */
const resampleTimeoutMs = 60_000

/** Resamples mono sound to the rate `wanted`, Hz. Returns 32-bit float samples. */
export async function resample(
  { samples, rate }: MonoAudio,
  wanted: number,
  { signal }: { readonly signal: AbortSignal },
): Promise<Float32Array<ArrayBuffer>> {
  if (rate === wanted) return new Float32Array(samples)
  const form = ['-f', 'f32le', '-ac', '1']
  const args = [
    ...['-protocol_whitelist', 'pipe', ...form, '-ar', String(rate), '-i', 'pipe:0'],
    ...['-af', `aresample=${wanted}`, ...form, 'pipe:1'],
  ]
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
  const pieces: Buffer[] = []
  for await (const piece of streamOutput({ args, input: bytes, signal, timeoutMs: resampleTimeoutMs }))
    pieces.push(piece)
  const all = new Uint8Array(Buffer.concat(pieces))
  return new Float32Array(all.buffer, 0, Math.floor(all.length / Float32Array.BYTES_PER_ELEMENT))
}
