import { isInputError } from './input-error.ts'
import { inputArgs, runRaw } from './run.ts'
import type { Size } from '../../media/geometry.ts'

interface ReadFramesOptions {
  /** Options of the input. */
  readonly before: readonly string[]
  /** Makes the frames wanted; they are scaled after it. Empty for those there are. */
  readonly filters: string
  /** As many as wanted. */
  readonly count: number
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/**
 * Reads frames of a file's picture as four-byte pixels (red, green, blue, alpha); fewer than wanted
 * where the others do not decode.
 */
export async function readFrames(path: string, size: Size, job: ReadFramesOptions): Promise<Uint8Array[]> {
  const scale = `scale=${size.width}:${size.height}:flags=bicubic,format=rgba`
  const filters = job.filters === '' ? scale : `${job.filters},${scale}`
  const chunks: Buffer[] = []
  try {
    await runRaw({
      args: [
        ...inputArgs(path, job.before),
        ...['-map', '0:V:0', '-frames:v', String(job.count), '-vf', filters, '-f', 'rawvideo', 'pipe:1'],
      ],
      timeoutMs: job.timeoutMs,
      signal: job.signal,
      onOutput: (chunk) => chunks.push(chunk),
    })
  } catch (error) {
    // What the machine is to blame for says nothing of the file.
    if (!isInputError(error)) throw error
  }
  const bytes = Buffer.concat(chunks)
  const frameBytes = size.width * size.height * 4
  return Array.from({ length: Math.floor(bytes.length / frameBytes) }, (_, index) =>
    bytes.subarray(index * frameBytes, (index + 1) * frameBytes),
  )
}
