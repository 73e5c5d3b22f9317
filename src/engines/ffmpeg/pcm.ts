import { streamOutput } from './output.ts'
import { runRaw } from './run.ts'
import { soundRate, truePeakLimiter } from './standard-sound.ts'

/** Bytes of one sample of both channels as 32-bit floats, the form in which sound passes through this process. */
export const pcmBytes = 2 * Float32Array.BYTES_PER_ELEMENT

interface PcmJob {
  readonly cwd: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

const pcmFormat = ['-f', 'f32le', '-ar', String(soundRate), '-ac', '2']

/**
 * Sound that ffmpeg decodes, as 48 kHz stereo floats, no faster than it is taken.
 *
 * @param args inputs and a filter graph that ends in [a]
 */
export function decodePcm(args: readonly string[], job: PcmJob): AsyncGenerator<Buffer> {
  return streamOutput({ ...job, args: [...args, '-map', '[a]', ...pcmFormat, 'pipe:1'] })
}

/** 48 kHz stereo floats to be encoded, of which exactly so many samples are made. */
export interface Pcm {
  readonly samples: number
  /** Makes them, until whoever takes them has ended. */
  readonly input: (ended: AbortSignal) => AsyncIterable<Uint8Array>
  /** Whether all of them are known to be 0. */
  readonly isSilent: boolean
}

/** Encodes sound as AAC, its true peaks limited. */
export async function encodeAac(path: string, sound: Pcm, job: PcmJob): Promise<void> {
  await runRaw({ ...job, input: sound.input, args: [...pcmInput, ...aacArgs(sound), path] })
}

/** The input that is such floats. */
export const pcmInput: readonly string[] = ['-protocol_whitelist', 'pipe', ...pcmFormat, '-i', 'pipe:0']

/** Options of a result whose sound is made of that input. */
export function aacArgs({ samples, isSilent }: Pcm): string[] {
  const filters = ['apad', ...(isSilent ? [] : [truePeakLimiter]), `atrim=end_sample=${samples}`]
  return ['-af', filters.join(','), '-c:a', 'aac', '-b:a', '192k']
}
