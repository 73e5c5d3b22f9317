import { finished, type Readable } from 'node:stream'

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
const batchBytes = 256 * 1024

/** Collects small chunks into batches of 256 KiB. Each batch is valid until the next is requested. */
export function rechunk(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const batch = Buffer.allocUnsafe(batchBytes)
  return fixedSizeChunks(batchBytes, source, { rest: 'kept', allocate: () => batch })
}

/**
 * Collects the chunks of a stream that nothing else uses into batches of 256 KiB, and frees their memory. Each batch is
 * valid until the next is requested; meanwhile, the next one is received. The stream flows until then: its own iterator
 * would stop and restart the connection for each chunk. When the caller stops, the stream is
 * paused, not destroyed.
 */
export async function* readBatches(source: Readable): AsyncGenerator<Uint8Array> {
  const batch = Buffer.allocUnsafe(batchBytes)
  const received = new ReceivedChunks()
  let ended: { readonly error: Error | null | undefined } | undefined
  let isReady = Promise.withResolvers<void>()
  const receive = (chunk: Uint8Array): void => {
    received.add(chunk)
    if (received.length < batchBytes) return
    source.pause()
    isReady.resolve()
  }
  const stopWaiting = finished(source, { writable: false }, (error) => {
    ended = { error }
    isReady.resolve()
  })
  source.on('data', receive)
  try {
    for (;;) {
      await isReady.promise
      if (ended?.error) throw ended.error
      const length = received.moveTo(batch)
      if (length === 0) return
      if (received.length < batchBytes && !ended) {
        isReady = Promise.withResolvers()
        source.resume()
      }
      yield batch.subarray(0, length)
    }
  } finally {
    stopWaiting()
    source.off('data', receive).pause()
  }
}

/** Chunks that were received and not used. */
class ReceivedChunks {
  readonly #chunks: Uint8Array[] = []
  /** Used bytes of the first chunk. */
  #used = 0
  /** Number of unused bytes. */
  length = 0

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.length += chunk.byteLength
  }

  /** Moves as many bytes as fit into memory, and frees emptied chunks. Returns the number of bytes. */
  moveTo(to: Uint8Array): number {
    let filled = 0
    for (let chunk = this.#chunks[0]; chunk && filled < to.length; chunk = this.#chunks[0]) {
      const part = chunk.subarray(this.#used, this.#used + to.length - filled)
      to.set(part, filled)
      filled += part.length
      this.#used += part.length
      if (this.#used < chunk.length) break
      this.#chunks.shift()
      this.#used = 0
      freeMemory(chunk)
    }
    this.length -= filled
    return filled
  }
}

/**
 * Frees the memory of a used chunk at once, unless it is only a part of it, as small chunks are. Otherwise, V8 marks its
 * whole heap after each 64 MiB of chunks.
 */
export function freeMemory({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0)
}
