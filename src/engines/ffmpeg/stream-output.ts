import { PassThrough } from 'node:stream'
import type { Writable } from 'node:stream'
import type { FfmpegChildOptions } from './child.ts'
import { runRaw } from './run.ts'

/** Bytes buffered before ffmpeg has to wait. */
const maxBufferedBytes = 2 ** 20

/**
 * Streams the standard output of an ffmpeg run, no faster than it is consumed. The run ends with the
 * iteration, even if the iteration stops early. Throws the error of the run.
 */
export async function* streamOutput(
  job: Omit<FfmpegChildOptions, 'file' | 'onOutput'>,
): AsyncGenerator<Buffer> {
  const left = new AbortController()
  const pipe = new PassThrough({ highWaterMark: maxBufferedBytes })
  const run = runRaw({
    ...job,
    signal: AbortSignal.any([left.signal, ...(job.signal ? [job.signal] : [])]),
    onOutput: (chunk) => (pipe.destroyed || pipe.write(chunk) ? undefined : untilWritable(pipe)),
  }).then(
    () => void pipe.end(),
    (error: unknown) => void pipe.destroy(error instanceof Error ? error : new Error(String(error))),
  )
  try {
    for await (const chunk of pipe) yield chunk as Buffer
  } finally {
    left.abort()
    pipe.destroy()
    await run
  }
}

/** Resolves when a full stream accepts data again or is closed. */
function untilWritable(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      stream.off('drain', go)
      stream.off('close', go)
      resolve()
    }
    stream.on('drain', go)
    stream.on('close', go)
  })
}
