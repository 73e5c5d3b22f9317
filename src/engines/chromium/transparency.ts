import { promisify } from 'node:util'
import { inflate } from 'node:zlib'

/** Where a PNG's header tells its width and its kind of pixels (W3C PNG, 11.2.1). */
const pngHeader = { width: 16, kind: 25 }
const rgbaColourType = 6

/** Whether nothing is to be seen on a PNG: it has alpha, and all samples are 0, which each of its filters leaves so. */
export async function isTransparentPng(png: Buffer): Promise<boolean> {
  if (png[pngHeader.kind] !== rgbaColourType) return false
  const stride = 1 + png.readUInt32BE(pngHeader.width) * 4
  const rows = await promisify(inflate)(imageData(png))
  return rows.every((byte, index) => byte === 0 || index % stride === 0)
}

/** What its chunks of pixels hold. */
function imageData(png: Buffer): Buffer {
  const found: Buffer[] = []
  for (let at = 8; at + 12 <= png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) !== 'IDAT') continue
    found.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  }
  return Buffer.concat(found)
}
