import { open, type FileHandle } from 'node:fs/promises'

/** Number of chunks searched for the sound. Files seldom have more than five before it. */
const maxChunks = 100

/** Sizes from here on are placeholders that streams and some recorders do not update when the sound ends. */
const unsetSize = 0x7fff_0000

/**
 * Returns the duration stated in a WAV header, ms. ffprobe counts the existing bytes instead. Returns
 * undefined if the header states none or the file is not a plain WAV.
 */
export async function wavHeaderDuration(path: string): Promise<number | undefined> {
  await using file = await open(path)
  const start = await readAt(file, { at: 0, length: 12 })
  if (start?.toString('latin1', 0, 4) !== 'RIFF' || start.toString('latin1', 8) !== 'WAVE') return undefined
  let [at, bytesPerSecond] = [12, 0]
  for (let chunk = 0; chunk < maxChunks; chunk++) {
    const head = await readAt(file, { at, length: 22 })
    if (!head) return undefined
    const [name, size] = [head.toString('latin1', 0, 4), head.readUInt32LE(4)]
    if (name === 'fmt ') bytesPerSecond = byteRate(head)
    if (name === 'data')
      return bytesPerSecond > 0 && size < unsetSize ? (1000 * size) / bytesPerSecond : undefined
    at += 8 + size + (size % 2)
  }
  return undefined
}

/**
 * Returns the bytes per second of a format chunk, or 0 if the value is approximate, as for compressed sound.
 */
function byteRate(chunk: Buffer): number {
  const [samples, bytes, block] = [chunk.readUInt32LE(12), chunk.readUInt32LE(16), chunk.readUInt16LE(20)]
  return bytes === samples * block ? bytes : 0
}

async function readAt(
  file: FileHandle,
  { at, length }: { readonly at: number; readonly length: number },
): Promise<Buffer | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
  return bytesRead === length ? buffer : undefined
}
