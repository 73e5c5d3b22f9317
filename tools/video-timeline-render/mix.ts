import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pcmBytes } from '../../src/engines/ffmpeg/pcm.ts'
import { rechunk } from '../../src/platform/streams.ts'

/**
 * Adds PCM streams of equal length, sample by sample. Ends all streams whether it succeeds, fails or stops
 * early.
 */
export async function* mixPcm(sources: readonly AsyncGenerator<Uint8Array>[]): AsyncGenerator<Uint8Array> {
  const batches = sources.map((source) => rechunk(source))
  try {
    for (;;) {
      const next = await Promise.all(batches.map((batch) => batch.next()))
      const [first, ...others] = next.flatMap(({ value, done }) => (done === true ? [] : [asFloats(value)]))
      if (!first) return
      const sum = first.slice()
      for (const other of others) {
        for (let index = 0; index < sum.length; index += 1)
          sum[index] = (sum[index] ?? 0) + (other[index] ?? 0)
      }
      yield new Uint8Array(sum.buffer)
    }
  } finally {
    await Promise.allSettled([...batches, ...sources].map((one) => one.return(undefined)))
  }
}

function asFloats({ buffer, byteOffset, byteLength }: Uint8Array): Float32Array {
  return new Float32Array(buffer, byteOffset, byteLength / Float32Array.BYTES_PER_ELEMENT)
}

/** Reads a file once and deletes it. Such files take 23 MB per minute. */
export async function* readAndDelete(path: string): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterable<Uint8Array> = createReadStream(path, { highWaterMark: 2 ** 20 })
  yield* chunks
  await rm(path)
}

const zeros = new Uint8Array(2 ** 16)

/** Yields stereo float samples of silence, `samples` per channel. */
export async function* silentPcm(samples: number): AsyncGenerator<Uint8Array> {
  for (let left = samples * pcmBytes; left > 0; left -= zeros.length)
    yield zeros.subarray(0, Math.min(left, zeros.length))
}
