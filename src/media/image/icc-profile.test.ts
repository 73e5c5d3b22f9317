import { expect, test } from 'vitest'
import { findProfile } from './icc-profile.ts'

const icc = Buffer.alloc(40)
icc.write('RGB ', 16)

/** Returns a JPEG segment that is numbered as the first of `count` parts of a profile. */
function segment(count: number): Buffer {
  const head = Buffer.from([0xff, 0xe2, 0, 0, ...Buffer.from('ICC_PROFILE\0'), 1, count])
  head.writeUInt16BE(head.length - 2 + icc.length, 2)
  return Buffer.concat([head, icc])
}

const scan = Buffer.from([0xff, 0xda, 0, 2])

test('finds the profile of a JPEG with fill bytes before its marker', () => {
  for (const fill of ['', 'ff', 'ffff']) {
    const head = Buffer.concat([Buffer.from(`ffd8${fill}`, 'hex'), segment(1), scan])
    expect(findProfile(head)).toEqual({ bytes: new Uint8Array(segment(1)), isRgb: true })
  }
})

test('reports a profile that cannot be copied', () => {
  const png = Buffer.concat([
    Buffer.from('\u0089PNG\r\n\u001a\n\0\0\0\u000dIHDR', 'latin1'),
    Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0, 0, 0, 0, 0]),
    Buffer.from('\0\u0080\0\0iCCPname', 'latin1'),
  ])
  const webp = Buffer.from('RIFF\0\0\0\0WEBPICCP\0\0\u0080\0', 'latin1')
  const bmp = Buffer.alloc(200)
  bmp.write('BM')
  bmp.writeUInt32LE(124, 14)
  bmp.write('DEBM', 14 + 56)
  const notCopyable = { bytes: undefined, isRgb: true }
  expect(findProfile(png)).toEqual(notCopyable)
  expect(findProfile(Buffer.concat([webp, icc]))).toEqual(notCopyable)
  expect(findProfile(bmp)).toEqual(notCopyable)
  expect(findProfile(Buffer.concat([Buffer.from('ffd8', 'hex'), segment(2), scan]))).toEqual(notCopyable)
  bmp.write('BGRs', 14 + 56)
  expect(findProfile(bmp)).toBeUndefined()
})
