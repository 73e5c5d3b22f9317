import { streamOutput } from './output.ts'
import { runRaw } from './run.ts'
import { soundRate, truePeakLimiter } from './standard-sound.ts'

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
  return streamOutput({ ...job, args: [...args, '-map', '[a]', ...pcmFormat, 'pipe:1'] })
}

/** Interleaved 48 kHz stereo floats to encode, with their exact number of samples. */
export interface Pcm {
  readonly samples: number
  /** Generates the samples until the signal reports that the consumer ended. */
  readonly input: (ended: AbortSignal) => AsyncIterable<Uint8Array>
  /** Whether all samples are known to be 0. */
  readonly isSilent: boolean
}

/** Encodes sound as AAC and limits its true peaks. */
export async function encodeAac(path: string, sound: Pcm, job: PcmJob): Promise<void> {
  await runRaw({ ...job, input: sound.input, args: [...pcmInput, ...aacArgs(sound), path] })
}

/** The ffmpeg input that reads these floats from standard input. */
export const pcmInput: readonly string[] = ['-protocol_whitelist', 'pipe', ...pcmFormat, '-i', 'pipe:0']

/** Returns the output options that encode this input. */
export function aacArgs({ samples, isSilent }: Pcm): string[] {
  const filters = ['apad', ...(isSilent ? [] : [truePeakLimiter]), `atrim=end_sample=${samples}`]
  return ['-af', filters.join(','), '-c:a', 'aac', '-b:a', '192k']
}
