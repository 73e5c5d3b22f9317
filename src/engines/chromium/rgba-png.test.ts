import { deflateSync, inflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { readPng } from '../../../test/engines/chromium/play.ts'
import { asRgba, chunksOf } from './rgba-png.ts'

/** An RGB picture of five rows, one of each filter, whose samples are what the filters make of these bytes. */
function rgb(width: number): Buffer {
  const rows = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((y) => [
    y % 5,
    ...Array.from({ length: width * 3 }, (_, at) => (at * 37 + y * 91) % 256),
  ])
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(rows.length, 4)
  head.set([8, 2], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

it('makes every pixel opaque, whatever the filters of the rows', async () => {
  const pixels = readPng(await asRgba(rgb(7)))
  expect([pixels.width, pixels.height]).toEqual([7, 10])
  const alphas = Array.from({ length: 70 }, (_, index) => pixels.data[index * 4 + 3])
  expect(new Set(alphas)).toEqual(new Set([255]))
})

it('leaves the colours as they are', async () => {
  const source = rgb(7)
  const before = inflateSync(Buffer.concat(chunksOf(source, 'IDAT')))
  const after = inflateSync(Buffer.concat(chunksOf(await asRgba(source), 'IDAT')))
  for (let y = 0; y < 10; y += 1) {
    const row = after.subarray(y * 29 + 1, (y + 1) * 29).filter((_, index) => index % 4 !== 3)
    expect(Buffer.from(row)).toEqual(before.subarray(y * 22 + 1, (y + 1) * 22))
  }
})

it('touches nothing that has alpha', async () => {
  const rgba = await asRgba(rgb(3))
  expect(await asRgba(rgba)).toBe(rgba)
})
