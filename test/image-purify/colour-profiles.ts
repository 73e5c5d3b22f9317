import { readFile, writeFile } from 'node:fs/promises'
import { crc32, deflateSync, inflateSync } from 'node:zlib'

/** Returns a minimal colour profile of a colour space, longer than one JPEG segment. */
export function profileOf(colours: 'RGB ' | 'CMYK'): Buffer {
  const bytes = Buffer.alloc(70_000, 'profile')
  bytes.writeUInt32BE(bytes.length, 0)
  bytes.write(colours, 16, 'latin1')
  bytes.write('acsp', 36, 'latin1')
  return bytes
}

/** Inserts a profile into a PNG, JPEG or WebP, after its first part. */
export async function addProfile(path: string, profile: Buffer): Promise<void> {
  const bytes = await readFile(path)
  const put = (at: number, ...pieces: Buffer[]) =>
    Buffer.concat([bytes.subarray(0, at), ...pieces, bytes.subarray(at)])
  await writeFile(path, createCopy())

  function createCopy(): Buffer {
    if (path.endsWith('.png'))
      return put(33, pngChunk(Buffer.concat([Buffer.from('it\0\0'), deflateSync(profile)])))
    if (path.endsWith('.jpg'))
      return put(2, jpegSegment(profile.subarray(0, 65_000), 1), jpegSegment(profile.subarray(65_000), 2))
    // An extended WebP, whose first chunk announces the profile.
    const webp = put(30, riffChunk(profile))
    webp[20] = (webp[20] ?? 0) | 0x20
    webp.writeUInt32LE(webp.length - 8, 4)
    return webp
  }
}

function pngChunk(data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from('iCCP'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

function jpegSegment(icc: Buffer, number: number): Buffer {
  const head = Buffer.from([0xff, 0xe2, 0, 0, ...Buffer.from('ICC_PROFILE\0'), number, 2])
  head.writeUInt16BE(head.length - 2 + icc.length, 2)
  return Buffer.concat([head, icc])
}

function riffChunk(icc: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(icc.length)
  return Buffer.concat([Buffer.from('ICCP'), length, icc])
}

/** Returns the profile of a PNG, JPEG or WebP; empty if there is none. */
export async function readProfile(path: string): Promise<Buffer> {
  const bytes = await readFile(path)
  const pieces: Buffer[] = []
  const chunk = bytes.indexOf(path.endsWith('.png') ? 'iCCP' : 'ICCP')
  if (path.endsWith('.png') && chunk > 0)
    return inflateSync(bytes.subarray(chunk + 8, chunk + 4 + bytes.readUInt32BE(chunk - 4)))
  if (path.endsWith('.webp') && chunk > 0)
    return bytes.subarray(chunk + 8, chunk + 8 + bytes.readUInt32LE(chunk + 4))
  for (let at = bytes.indexOf('ICC_PROFILE'); at > 0; at = bytes.indexOf('ICC_PROFILE', at + 1))
    pieces.push(bytes.subarray(at + 14, at - 2 + bytes.readUInt16BE(at - 2)))
  return Buffer.concat(pieces)
}
