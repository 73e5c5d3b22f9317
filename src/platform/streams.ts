/** A stream is longer than the limit of its reader. */
export class TooLargeError extends Error {
  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`)
  }
}

/** Reads a stream into memory. Throws TooLargeError and stops reading when it exceeds `maxBytes`. */
export async function readAtMost(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of source) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new TooLargeError(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Size of a batch, bytes. Smaller batches cost time on a busy machine. */
const rechunkBytes = 2 ** 20

/** Collects small chunks into batches of 1 MiB. Each batch is valid until the next is requested. */
export async function* rechunk(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const batch = Buffer.allocUnsafe(rechunkBytes)
  let filled = 0
  for await (const chunk of source) {
    for (let at = 0; at < chunk.byteLength;) {
      const taken = chunk.subarray(at, at + rechunkBytes - filled)
      batch.set(taken, filled)
      at += taken.byteLength
      filled += taken.byteLength
      if (filled < rechunkBytes) continue
      yield batch
      filled = 0
    }
  }
  if (filled > 0) yield batch.subarray(0, filled)
}
