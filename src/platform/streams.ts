/** More came than its reader takes. */
export class TooLargeError extends Error {
  constructor(maxBytes: number) {
    super(`there are more than ${maxBytes} bytes`)
  }
}

/** Reads a stream into memory. Throws TooLargeError as soon as it exceeds `maxBytes`, and reads no further then. */
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

/** Bytes of a batch: worth a write, and few steps for what passes it on. Smaller ones cost time on a busy machine. */
const rechunkBytes = 2 ** 20

/** Gathers the small chunks of a connection into batches of 1 MiB; each is overwritten once the next is asked for. */
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
