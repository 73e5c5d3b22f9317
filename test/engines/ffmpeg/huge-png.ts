import { writeFile } from 'node:fs/promises'
import { crc32, deflateSync } from 'node:zlib'

interface HugePngOptions {
  readonly width: number
  readonly height: number
  /** Bits per sample: 8 or 16. */
  readonly depth: number
  /** Number of rows that the file contains; default: all. */
  readonly rows?: number
}

/** Writes a PNG with red, green, blue and alpha whose samples are all 0. It is small, and huge once decoded. */
export async function hugePng(
  path: string,
  { width, height, depth, rows = height }: HugePngOptions,
): Promise<string> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, 6], 8)
  const data = deflateSync(Buffer.alloc(rows * (1 + (width * 4 * depth) / 8)), { level: 1 })
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  await writeFile(path, Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND')]))
  return path
}

function chunk(type: string, data = Buffer.alloc(0)): Buffer {
  const content = Buffer.concat([Buffer.from(type), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, checksum])
}
