const headerBytes = 54

/** A grey BMP of 24 bits per pixel. `width`: a multiple of 4, so that rows need no padding. */
export function blankBmp(width: number, height: number): Buffer<ArrayBuffer> {
  const bmp = Buffer.alloc(headerBytes + 3 * width * height, 90)
  bmp.fill(0, 0, headerBytes)
  bmp.write('BM')
  bmp.writeUInt32LE(bmp.length, 2)
  bmp.writeUInt32LE(headerBytes, 10)
  bmp.writeUInt32LE(40, 14)
  bmp.writeInt32LE(width, 18)
  bmp.writeInt32LE(height, 22)
  bmp.writeUInt16LE(1, 26)
  bmp.writeUInt16LE(24, 28)
  return bmp
}
