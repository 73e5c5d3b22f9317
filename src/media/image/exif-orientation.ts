/** Orientation of a photo by EXIF: how the stored rows and columns are shown. */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8

/** Tag of the orientation (TIFF 6.0). */
const orientationTag = 0x01_12

/** Type of 16-bit integers in TIFF. */
const shortType = 3

/**
 * Orientation that the EXIF data of a JPEG, PNG or WebP file states, 1 (as stored) without any. Reads the file itself:
 * releases of ffmpeg differ in which formats they read it from. Damaged data count as none.
 */
export function exifOrientation(file: Uint8Array): Orientation {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  try {
    const found = findExif(view)
    return found ? orientationOfTiff(found) : 1
  } catch (error) {
    // An offset beyond the end.
    if (error instanceof RangeError) return 1
    throw error
  }
}

function findExif(view: DataView): DataView | undefined {
  if (view.getUint16(0) === 0xff_d8) return exifOfJpeg(view)
  if (view.getUint32(0) === 0x89_50_4e_47) return exifOfPng(view)
  return textAt(view, 0) === 'RIFF' && textAt(view, 8) === 'WEBP' ? exifOfWebp(view) : undefined
}

/** The first segment APP1 that contains EXIF, before the picture (ITU-T T.81, B.1). */
function exifOfJpeg(view: DataView): DataView | undefined {
  for (let at = 2; view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) {
      at += 1
      continue
    }
    const length = view.getUint16(at + 2)
    // Start of the picture, or its end.
    if (marker === 0xda || marker === 0xd9 || length < 2) return undefined
    if (marker === 0xe1 && textAt(view, at + 4) === 'Exif') return part(view, at + 10, length - 8)
    at += 2 + length
  }
  return undefined
}

/** The chunk `eXIf` (PNG, third edition). */
function exifOfPng(view: DataView): DataView | undefined {
  for (let at = 8; at + 8 <= view.byteLength;) {
    const length = view.getUint32(at)
    if (textAt(view, at + 4) === 'eXIf') return part(view, at + 8, length)
    at += 12 + length
  }
  return undefined
}

/** The chunk `EXIF` (RFC 9649); some programs write the prefix of JPEG in it. */
function exifOfWebp(view: DataView): DataView | undefined {
  for (let at = 12; at + 8 <= view.byteLength;) {
    const length = view.getUint32(at + 4, true)
    if (textAt(view, at) === 'EXIF') {
      const prefix = textAt(view, at + 8) === 'Exif' ? 6 : 0
      return part(view, at + 8 + prefix, length - prefix)
    }
    at += 8 + length + (length % 2)
  }
  return undefined
}

/** The orientation in the first directory of TIFF data. */
function orientationOfTiff(tiff: DataView): Orientation {
  const isLittle = tiff.getUint16(0) === 0x49_49
  if (!isLittle && tiff.getUint16(0) !== 0x4d_4d) return 1
  const directory = tiff.getUint32(4, isLittle)
  const count = tiff.getUint16(directory, isLittle)
  for (let index = 0; index < count; index += 1) {
    const at = directory + 2 + index * 12
    if (tiff.getUint16(at, isLittle) !== orientationTag) continue
    const value = tiff.getUint16(at + 8, isLittle)
    const isValid = tiff.getUint16(at + 2, isLittle) === shortType && value >= 1 && value <= 8
    return isValid ? (value as Orientation) : 1
  }
  return 1
}

/** A part of a file. Throws RangeError beyond its end: the buffer of a view may be longer than the view. */
function part(view: DataView, start: number, length: number): DataView {
  if (start + length > view.byteLength) throw new RangeError('beyond the end')
  return new DataView(view.buffer, view.byteOffset + start, length)
}

/** Four characters. */
function textAt(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((offset) => view.getUint8(at + offset)))
}
