import type { FileHandle } from 'node:fs/promises'

interface ReadAheadOptions {
  /** First byte. */
  readonly offset: number
  /** Most bytes to read; may be Infinity. */
  readonly size: number
  /** Size of a read, bytes. */
  readonly pieceBytes: number
}

/**
 * Reads a range of an open file, or as much of it as exists, with two buffers: the next piece is read while the
 * caller uses the present one. Each piece is valid until the next is requested.
 */
export async function* readAhead(
  file: FileHandle,
  { offset, size, pieceBytes }: ReadAheadOptions,
): AsyncGenerator<Uint8Array> {
  const length = Math.min(pieceBytes, size)
  let done = 0
  const read = (piece: Buffer) => {
    const reading = file.read(piece, 0, Math.min(length, size - done), offset + done)
    // Reported when the piece is requested, which may be never.
    reading.catch(() => undefined)
    return reading
  }
  let [present, ahead] = [Buffer.allocUnsafe(length), Buffer.allocUnsafe(length)]
  let reading = read(present)
  for (;;) {
    const { bytesRead } = await reading
    if (bytesRead === 0) return
    done += bytesRead
    reading = read(ahead)
    yield present.subarray(0, bytesRead)
    ;[present, ahead] = [ahead, present]
  }
}
