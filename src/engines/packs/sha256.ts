import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** SHA-256 of a file in lower-case hex, read piece by piece. */
export async function sha256Of(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path, { signal, highWaterMark: 2 ** 20 })) {
    hash.update(piece as Buffer)
  }
  return hash.digest('hex')
}
