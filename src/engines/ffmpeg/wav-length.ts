import { open, type FileHandle } from 'node:fs/promises'

/** Chunks before the sound in which it is looked for: there are seldom more than five. */
const maxChunks = 100

/** Sizes that nothing wrote back when the sound had ended: of streams, and of recorders that take as much as there is. */
const unsetSize = 0x7fff_0000

/**
 * The length that the header of a WAV tells, ms, which ffprobe does not: it counts the bytes that are there. Undefined
 * where it tells none, or where it is no plain WAV.
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

/** Bytes a second of a format chunk; 0 where it tells no more than about how many, as compressed sound does. */
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
