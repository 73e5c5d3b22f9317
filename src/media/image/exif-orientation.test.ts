import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exifOrientation } from './exif-orientation.ts'

/** TIFF data with one other tag, then the orientation. */
function tiff(value: number, isLittle: boolean): Buffer {
  const bytes = Buffer.alloc(38)
  const short = (at: number, number: number) =>
    isLittle ? bytes.writeUInt16LE(number, at) : bytes.writeUInt16BE(number, at)
  const long = (at: number, number: number) =>
    isLittle ? bytes.writeUInt32LE(number, at) : bytes.writeUInt32BE(number, at)
  bytes.write(isLittle ? 'II' : 'MM', 0, 'latin1')
  short(2, 42)
  long(4, 8)
  short(8, 2)
  for (const [index, [tag, content]] of [[0x100, 5] as const, [0x112, value] as const].entries()) {
    const at = 10 + index * 12
    short(at, tag)
    short(at + 2, 3)
    long(at + 4, 1)
    short(at + 8, content)
  }
  return bytes
}

function segment(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}

function chunk(type: string, content: Buffer, isWebp: boolean): Buffer {
  const length = Buffer.alloc(4)
  if (isWebp) length.writeUInt32LE(content.length)
  else length.writeUInt32BE(content.length)
  const name = Buffer.from(type, 'latin1')
  return isWebp
    ? Buffer.concat([name, length, content, Buffer.alloc(content.length % 2)])
    : Buffer.concat([length, name, content, Buffer.alloc(4)])
}

const prefix = Buffer.from('Exif\0\0', 'latin1')
const files: Readonly<Record<string, (exif: Buffer) => Buffer>> = {
  jpeg: (exif) =>
    Buffer.concat([
      Buffer.from([0xff, 0xd8]),
      segment(0xe0, Buffer.from('JFIF\0')),
      Buffer.from([0xff]),
      segment(0xe1, Buffer.concat([prefix, exif])),
    ]),
  png: (exif) =>
    Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
      chunk('IHDR', Buffer.alloc(13), false),
      chunk('IDAT', Buffer.alloc(5), false),
      chunk('eXIf', exif, false),
    ]),
  webp: (exif) =>
    Buffer.concat([
      Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'),
      chunk('VP8 ', Buffer.alloc(5), true),
      chunk('EXIF', exif, true),
    ]),
  'webp with the prefix of JPEG': (exif) =>
    Buffer.concat([
      Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'),
      chunk('EXIF', Buffer.concat([prefix, exif]), true),
    ]),
}

test.each(Object.entries(files))('%s: all orientations, in both byte orders', (_, file) => {
  for (const value of [1, 2, 3, 4, 5, 6, 7, 8]) {
    expect(exifOrientation(file(tiff(value, true)))).toBe(value)
    expect(exifOrientation(file(tiff(value, false)))).toBe(value)
  }
  for (const value of [0, 9, 65_535]) expect(exifOrientation(file(tiff(value, true)))).toBe(1)
})

test('a JPEG without EXIF, other content and truncated files count as upright', () => {
  const start = Buffer.from([0xff, 0xd8])
  const image = Buffer.concat([start, segment(0xda, Buffer.alloc(9)), segment(0xe1, tiff(6, true))])
  expect(exifOrientation(image)).toBe(1)
  expect(exifOrientation(Buffer.from('BM and more'))).toBe(1)
  for (const file of Object.values(files)) {
    const whole = file(tiff(6, true))
    for (let length = 0; length < whole.length - 14; length += 1)
      expect(exifOrientation(whole.subarray(0, length))).toBe(1)
  }
})

test('never throws, and ends, whatever the content', () => {
  const starts = fc.constantFrom('\xff\xd8\xff\xe1', '\x89PNG\r\n\x1a\n', 'RIFF    WEBPEXIF', 'x')
  fc.assert(
    fc.property(starts, fc.uint8Array({ maxLength: 200 }), (start, rest) => {
      const value = exifOrientation(Buffer.concat([Buffer.from(start, 'latin1'), rest]))
      expect(value).toBeGreaterThanOrEqual(1)
      expect(value).toBeLessThanOrEqual(8)
    }),
  )
})
