/** Largest decoded sound that is kept, bytes: 8 min of mono at 16 kHz. */
const maxKeptBytes = 32 * 2 ** 20

/**
 * Returns a function that reads sound from its start at each call. The first complete reading keeps sound of up to 32 MiB
 * for the next ones. Longer sound is decoded again, so that memory use does not depend on its length. Chunks must not be
 * changed.
 */
export function replayable(decode: () => AsyncIterable<Float32Array>): () => AsyncGenerator<Float32Array> {
  let kept: readonly Float32Array[] | undefined
  return async function* read() {
    if (kept) {
      yield* kept
      return
    }
    let bytes = 0
    const chunks: Float32Array[] = []
    for await (const chunk of decode()) {
      bytes += chunk.byteLength
      if (bytes <= maxKeptBytes) chunks.push(chunk)
      else chunks.length = 0
      yield chunk
    }
    if (bytes <= maxKeptBytes) kept = chunks
  }
}
