import { promisify } from 'node:util'
import { crc32, deflate, inflate } from 'node:zlib'

/** Where a PNG's header tells its size and its kind of pixels (W3C PNG, 11.2.1). */
const header = { width: 16, height: 20, kind: 25 }
const kinds = { rgb: 2, rgba: 6 }

/**
 * Gives a PNG of eight bits its alpha where the browser left it out, as it does with what is opaque all over, so
 * that all frames of a video are of one kind. The filters of the rows stay; those of the new samples are computed.
 */
export async function asRgba(png: Buffer): Promise<Buffer> {
  if (png[header.kind] !== kinds.rgb) return png
  const size = { width: png.readUInt32BE(header.width), height: png.readUInt32BE(header.height) }
  const rows = await promisify(inflate)(Buffer.concat(chunksOf(png, 'IDAT')))
  const body = await promisify(deflate)(withAlpha(rows, size), { level: 1 })
  const head = Buffer.from(png.subarray(header.width, header.width + 13))
  head[header.kind - header.width] = kinds.rgba
  return Buffer.concat([
    png.subarray(0, 8),
    chunk('IHDR', head),
    chunk('IDAT', body),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Data of the chunks of one type. */
export function chunksOf(png: Buffer, type: string): Buffer[] {
  const found: Buffer[] = []
  for (let at = 8; at + 12 <= png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === type) {
      found.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
    }
  }
  return found
}

function chunk(type: string, data: Buffer): Buffer {
  const whole = Buffer.alloc(12 + data.length)
  whole.writeUInt32BE(data.length)
  whole.write(type, 4, 'latin1')
  data.copy(whole, 8)
  whole.writeUInt32BE(crc32(whole.subarray(4, 8 + data.length)), 8 + data.length)
  return whole
}

function withAlpha(rows: Buffer, { width, height }: { width: number; height: number }): Buffer {
  const [from, to] = [1 + width * 3, 1 + width * 4]
  const wide = Buffer.alloc(height * to)
  for (let y = 0; y < height; y += 1) {
    const filter = rows[y * from] ?? 0
    wide[y * to] = filter
    const { first, others } = alphaOf(filter, y === 0)
    for (let x = 0, read = y * from + 1, write = y * to + 1; x < width; x += 1, read += 3, write += 4) {
      wide[write] = rows[read] ?? 0
      wide[write + 1] = rows[read + 1] ?? 0
      wide[write + 2] = rows[read + 2] ?? 0
      wide[write + 3] = x === 0 ? first : others
    }
  }
  return wide
}

/** Alpha 255 as the filters write it (W3C PNG, 9.2): the difference to what left and upper neighbours foretell. */
function alphaOf(filter: number, isTop: boolean): { readonly first: number; readonly others: number } {
  const up = isTop ? 0 : 255
  switch (filter) {
    case 1:
      return { first: 255, others: 0 }
    case 2:
      return { first: 255 - up, others: 255 - up }
    case 3:
      return { first: 255 - (up >> 1), others: 255 - ((255 + up) >> 1) }
    case 4:
      return { first: 255 - up, others: 0 }
    default:
      return { first: 255, others: 255 }
  }
}
