import { outputOf } from './output.ts'
import { runRaw } from './run.ts'
import { soundRate, truePeakLimiter } from './standard-sound.ts'

/** Bytes of one sample of both channels as 32-bit floats, the form in which sound passes through this process. */
export const pcmBytes = 2 * Float32Array.BYTES_PER_ELEMENT

interface PcmJob {
  readonly cwd: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

const form = ['-f', 'f32le', '-ar', String(soundRate), '-ac', '2']

/**
 * Sound that ffmpeg decodes, as 48 kHz stereo floats, no faster than it is taken.
 *
 * @param args inputs and a filter graph that ends in [a]
 */
export function decodePcm(args: readonly string[], job: PcmJob): AsyncGenerator<Buffer> {
  return outputOf({ ...job, args: [...args, '-map', '[a]', ...form, 'pipe:1'] })
}

/** Encodes 48 kHz stereo floats as AAC, their true peaks limited, and makes exactly so many samples of them. */
export async function encodeAac(
  path: string,
  { samples, input, ...job }: PcmJob & { samples: number; input: AsyncIterable<Uint8Array> },
): Promise<void> {
  const filters = `apad,${truePeakLimiter},atrim=end_sample=${samples}`
  await runRaw({
    ...job,
    input,
    args: [
      ...['-protocol_whitelist', 'pipe', ...form, '-i', 'pipe:0'],
      ...['-af', filters, '-c:a', 'aac', '-b:a', '192k', path],
    ],
  })
}
