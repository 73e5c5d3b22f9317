import { isInputError } from './input-error.ts'
import { inputArgs, runRaw } from './run.ts'
import type { Size } from '../../media/geometry.ts'

interface ReadFramesOptions {
  /** Options of the input. */
  readonly before: readonly string[]
  /** Filters that select the frames, applied before scaling. Empty: all frames. */
  readonly filters: string
  /** Number of frames to read. */
  readonly count: number
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/**
 * Reads frames of a file's picture as RGBA, 4 bytes per pixel, row by row. Returns fewer frames than
 * requested if the others do not decode.
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
    // Failures of the machine say nothing about the file and are rethrown.
    if (!isInputError(error)) throw error
  }
  const bytes = Buffer.concat(chunks)
  const frameBytes = size.width * size.height * 4
  return Array.from({ length: Math.floor(bytes.length / frameBytes) }, (_, index) =>
    bytes.subarray(index * frameBytes, (index + 1) * frameBytes),
  )
}
