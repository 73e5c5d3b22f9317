import { crc32, deflateSync } from 'node:zlib'

/** Pixels row by row. */
export interface PngPixels {
  readonly width: number
  readonly height: number
  /** Bytes per pixel: red, green, blue, and alpha if there are four. */
  readonly channels: 3 | 4
  readonly bytes: Uint8Array
}

/** PNG color types by number of channels: 2 is RGB, 6 is RGBA. */
const colorTypes = { 3: 2, 4: 6 }

/** Encodes 8-bit pixels as PNG (ISO/IEC 15948), optimised for speed rather than size. */
export function encodePng({ width, height, channels, bytes }: PngPixels): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, colorTypes[channels]], 8)
  const rowBytes = width * channels
  // Each row starts with its filter type: 0, none.
  const rows = Buffer.alloc((1 + rowBytes) * height)
  for (let row = 0; row < height; row += 1) {
    rows.set(bytes.subarray(row * rowBytes, (row + 1) * rowBytes), row * (1 + rowBytes) + 1)
  }
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(rows, { level: 1 })),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function pngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
