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
