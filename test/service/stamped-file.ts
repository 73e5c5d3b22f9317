import { randomFillSync } from 'node:crypto'
import { open } from 'node:fs/promises'

const mebibyte = 2 ** 20

/** Size of a stamp, bytes. */
const stampBytes = 8

/** Creates a file in which each MiB contains its own offset, to detect misplaced parts. Otherwise sparse, or noise. */
export async function createStampedFile(path: string, size: number, fill: 'sparse' | 'noise'): Promise<void> {
  await using file = await open(path, 'wx')
  const piece = Buffer.alloc(fill === 'noise' ? mebibyte : stampBytes)
  if (fill === 'noise') randomFillSync(piece)
  for (let at = 0; at < size; at += mebibyte) {
    piece.writeBigUInt64LE(BigInt(at))
    await file.write(piece, 0, Math.min(piece.length, size - at), at)
  }
  await file.truncate(size)
  await file.datasync()
}

/** Index of the first MiB whose stamp differs from its offset; null when all are correct. */
export async function firstMisplacedMiB(path: string): Promise<number | null> {
  await using file = await open(path)
  const { size } = await file.stat()
  const stamp = Buffer.alloc(stampBytes)
  for (let at = 0; at < size; at += mebibyte) {
    await file.read(stamp, 0, stampBytes, at)
    if (stamp.readBigUInt64LE() !== BigInt(at)) return at / mebibyte
  }
  return null
}
