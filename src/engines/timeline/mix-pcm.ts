import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { rechunk } from '../../platform/streams.ts'

/**
 * Yields the sum of PCM streams of equal length: interleaved stereo 32-bit floats. Closes all streams at the end,
 * on failure and when its consumer stops early.
 */
export async function* mixPcm(sources: readonly AsyncGenerator<Uint8Array>[]): AsyncGenerator<Uint8Array> {
  const batches = sources.map((source) => rechunk(source))
  try {
    for (;;) {
      const results = await Promise.all(batches.map((batch) => batch.next()))
      const [first, ...others] = results.flatMap(({ value, done }) =>
        done === true ? [] : [asFloats(value)],
      )
      if (!first) return
      const sum = first.slice()
      for (const other of others) {
        for (let index = 0; index < sum.length; index += 1)
          sum[index] = (sum[index] ?? 0) + (other[index] ?? 0)
      }
      yield new Uint8Array(sum.buffer)
    }
  } finally {
    await Promise.allSettled([...batches, ...sources].map((stream) => stream.return(undefined)))
  }
}

/** Returns bytes as the floats that they contain, without a copy. */
export function asFloats({ buffer, byteOffset, byteLength }: Uint8Array): Float32Array {
  return new Float32Array(buffer, byteOffset, byteLength / Float32Array.BYTES_PER_ELEMENT)
}

/** Yields the content of a file and deletes it. A round of mixing takes 23 MB per minute. */
export async function* readAndDelete(path: string): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterable<Uint8Array> = createReadStream(path, { highWaterMark: 2 ** 20 })
  yield* chunks
  await rm(path)
}

const zeros = new Uint8Array(2 ** 16)

/** Yields silence as interleaved 32-bit floats, `samples` per channel. */
export async function* silentPcm(samples: number, channels: 1 | 2 = 2): AsyncGenerator<Uint8Array> {
  for (let left = samples * channels * Float32Array.BYTES_PER_ELEMENT; left > 0; left -= zeros.length)
    yield zeros.subarray(0, Math.min(left, zeros.length))
}
