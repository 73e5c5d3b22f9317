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
