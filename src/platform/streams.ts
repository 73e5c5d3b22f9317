/** A stream is longer than the limit of its reader. */
export class TooLargeError extends Error {
  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`)
  }
}

/**
 * Reads a stream into memory. Throws TooLargeError and stops reading when it exceeds `maxBytes`. Calls `onBytes` with the
 * number of bytes received so far, and stops reading when it throws.
 */
export async function readAtMost(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  onBytes?: (bytes: number) => void,
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of source) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new TooLargeError(maxBytes)
    onBytes?.(bytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

interface FixedSizeChunksOptions {
  /** Whether an incomplete last chunk is yielded or dropped. */
  readonly rest: 'kept' | 'dropped'
  /** Returns the memory of the next chunk. Default: new memory. */
  readonly allocate?: () => Uint8Array<ArrayBuffer>
}

/** Splits bytes that arrive in chunks of any size into chunks of `size` bytes. */
export async function* fixedSizeChunks(
  size: number,
  chunks: AsyncIterable<Uint8Array>,
  { rest, allocate = () => new Uint8Array(size) }: FixedSizeChunksOptions,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let piece = allocate()
  let filled = 0
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      const count = Math.min(size - filled, chunk.length - at)
      piece.set(chunk.subarray(at, at + count), filled)
      filled += count
      at += count
      if (filled < size) break
      yield piece
      piece = allocate()
      filled = 0
    }
  }
  if (rest === 'kept' && filled > 0) yield piece.subarray(0, filled)
}

/**
 * Size of a batch, bytes. A batch stays in the processor's cache until it is hashed and written; smaller ones need
 * more switches between threads.
 */
const rechunkBytes = 256 * 1024

/** Collects small chunks into batches of 256 KiB. Each batch is valid until the next is requested. */
export function rechunk(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const batch = Buffer.allocUnsafe(rechunkBytes)
  return fixedSizeChunks(rechunkBytes, source, { rest: 'kept', allocate: () => batch })
}

/**
 * Yields the chunks of a stream that nothing else uses, and frees the memory of each when the next is requested. Without
 * it, V8 marks its whole heap after each 64 MiB of chunks.
 */
export async function* freeAfterUse(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    yield chunk
    const { buffer, byteLength } = chunk
    // Small chunks share their memory with others.
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
  }
}
