/** An ICC profile, which defines the colour space of an image. */
interface ImageProfile {
  /**
   * The chunk or segments that contain the profile, which can be inserted into another image of the same format.
   * Undefined if the profile is truncated, incomplete or in a BMP file.
   */
  readonly bytes: Uint8Array | undefined
  /** Whether the profile describes RGB colours rather than grey or CMYK. */
  readonly isRgb: boolean
}

/** Number of bytes at the start of an image that contain its headers and its profile. */
export const profileHeadBytes = 8 * 2 ** 20

type ProfileContainer = 'png' | 'jpeg' | 'webp' | 'bmp'

interface ProfileFormat {
  readonly find: (bytes: Uint8Array) => ImageProfile | undefined
  readonly insert: (image: Uint8Array, profile: Uint8Array) => readonly Uint8Array[] | undefined
}

const profileFormats: Readonly<Record<ProfileContainer, ProfileFormat>> = {
  png: { find: findInPng, insert: insertIntoPng },
  jpeg: { find: findInJpeg, insert: insertIntoJpeg },
  webp: { find: findInWebp, insert: insertIntoWebp },
  bmp: { find: findInBmp, insert: () => undefined },
}

/**
 * Returns the profile of an image, or undefined if it has none. Detects the format by content. head: the first
 * `profileHeadBytes` of the image, or all of it.
 */
export function findProfile(head: Uint8Array): ImageProfile | undefined {
  const container = profileContainer(head)
  return container && profileFormats[container].find(head)
}

/**
 * Returns an image with the profile of another image, as consecutive byte ranges. Returns undefined if the formats
 * differ or the other image has no profile that can be copied.
 */
export function copyProfile(image: Uint8Array, source: Uint8Array): readonly Uint8Array[] | undefined {
  const container = profileContainer(image)
  const profile = findProfile(source)
  if (!container || !profile?.bytes || container !== profileContainer(source)) return undefined
  return profileFormats[container].insert(image, profile.bytes)
}

/** Returns the format of an image by its signature, or undefined for other formats. */
function profileContainer(bytes: Uint8Array): ProfileContainer | undefined {
  const text = textAt(bytes, 0, 16)
  if (text.startsWith('\u0089PNG\r\n\u001a\n')) return 'png'
  if (text.startsWith('\u00ff\u00d8\u00ff')) return 'jpeg'
  if (text.startsWith('BM')) return 'bmp'
  return /^RIFF.{4}WEBP/s.test(text) ? 'webp' : undefined
}

/** Offset of the length field of a BMP's second header, and its value for version 5, bytes. */
const bmpHeaderLength = { offset: 14, version5: 124 }

/** Offset of the colour space tag in a version 5 header, bytes. */
const bmpColourSpaceOffset = 14 + 56

/** Colour space tags of an embedded and of a linked profile: "MBED" and "LINK" in little-endian order. */
const bmpProfileTags = ['DEBM', 'KNIL']

/** Detects a profile by the version 5 header of a BMP. Does not extract it. */
function findInBmp(bytes: Uint8Array): ImageProfile | undefined {
  if (
    bytes[bmpHeaderLength.offset] !== bmpHeaderLength.version5 ||
    !bmpProfileTags.includes(textAt(bytes, bmpColourSpaceOffset, 4))
  )
    return undefined
  return { bytes: undefined, isRgb: true }
}

/** Length of the signature of a PNG, bytes. */
const pngSignatureBytes = 8

/** PNG colour types with RGB colours: true colour, palette, true colour with alpha. */
const pngRgbColourTypes = [2, 3, 6]

/** Finds the iCCP chunk of a PNG, which precedes the picture. */
function findInPng(bytes: Uint8Array): ImageProfile | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  // A chunk consists of length, name, data and checksum. The first chunk is IHDR.
  for (let at = pngSignatureBytes; at + 12 <= bytes.length;) {
    const end = at + 12 + view.getUint32(at)
    const name = textAt(bytes, at + 4, 4)
    if (name === 'iCCP') {
      const isRgb = pngRgbColourTypes.includes(bytes[25] ?? 0)
      return { bytes: end > bytes.length ? undefined : bytes.slice(at, end), isRgb }
    }
    if (name === 'IDAT') return undefined
    at = end
  }
  return undefined
}

/** Inserts an iCCP chunk into a PNG after IHDR. */
function insertIntoPng(image: Uint8Array, profile: Uint8Array): readonly Uint8Array[] {
  const header = pngSignatureBytes + 25
  return [image.subarray(0, header), profile, image.subarray(header)]
}

/** Second bytes of the JPEG markers APP0, APP2 and SOS. The first is 0xff. */
const jpegMarkers = { app0: 0xe0, app2: 0xe2, scan: 0xda }

/** Label at the start of a JPEG segment with a part of a profile. */
const profileLabel = 'ICC_PROFILE\0'

/** Length of the label, the sequence number and the number of parts before each part of a profile, bytes. */
const profileHeaderBytes = profileLabel.length + 2

/** Finds a profile in the APP2 segments of a JPEG, up to 64 KiB each, which precede the picture. */
function findInJpeg(bytes: Uint8Array): ImageProfile | undefined {
  const segments: Uint8Array[] = []
  let [isRgb, count] = [false, 0]
  for (const { kind, from, to } of jpegSegments(bytes)) {
    const data = from + 4
    if (kind !== jpegMarkers.app2 || textAt(bytes, data, profileLabel.length) !== profileLabel) continue
    if (bytes[data + profileLabel.length] === 1) isRgb = isRgbProfile(bytes, data + profileHeaderBytes)
    count = bytes[data + profileLabel.length + 1] ?? 0
    segments.push(bytes.slice(from, to))
  }
  if (segments.length === 0) return undefined
  return { bytes: segments.length === count ? joinSegments(segments) : undefined, isRgb }
}

/** Inserts profile segments into a JPEG after the JFIF header. */
function insertIntoJpeg(image: Uint8Array, profile: Uint8Array): readonly Uint8Array[] {
  const [first] = jpegSegments(image)
  const at = first?.kind === jpegMarkers.app0 ? first.to : 2
  return [image.subarray(0, at), profile, image.subarray(at)]
}

/** Yields the complete segments before the picture data of a JPEG, with the byte range of each. */
function* jpegSegments(bytes: Uint8Array) {
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff;) {
    const kind = bytes[at + 1] ?? 0
    // Any number of fill bytes may precede a marker.
    if (kind === 0xff) {
      at += 1
      continue
    }
    // The length includes its own two bytes.
    const to = at + 2 + (bytes[at + 2] ?? 0) * 256 + (bytes[at + 3] ?? 0)
    if (kind === jpegMarkers.scan || to < at + 4 || to > bytes.length) return
    yield { kind, from: at, to }
    at = to
  }
}

function joinSegments(segments: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(segments.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const segment of segments) {
    joined.set(segment, at)
    at += segment.length
  }
  return joined
}

/** Length of the start of a WebP file: RIFF, the file length and WEBP; bytes. */
const riffHeaderBytes = 12

/** Feature flags of the VP8X chunk, which precedes all others in an extended WebP file. */
const vp8xFlags = { profile: 0x20, alpha: 0x10 }

interface WebpChunk {
  readonly name: string
  /** Start of the chunk in the file, bytes. */
  readonly from: number
  /** End of the chunk, limited to the end of the available bytes. */
  readonly to: number
  readonly isComplete: boolean
}

/** Finds the ICCP chunk of a WebP, which precedes the picture. */
function findInWebp(bytes: Uint8Array): ImageProfile | undefined {
  for (const { name, from, to, isComplete } of webpChunks(bytes)) {
    if (name === 'ICCP')
      return { bytes: isComplete ? bytes.slice(from, to) : undefined, isRgb: isRgbProfile(bytes, from + 8) }
  }
  return undefined
}

/** Inserts an ICCP chunk into a WebP after VP8X, which is created if missing. Returns undefined for an invalid file. */
function insertIntoWebp(image: Uint8Array, profile: Uint8Array): readonly Uint8Array[] | undefined {
  const [first] = webpChunks(image)
  if (!first) return undefined
  const isExtended = first.name === 'VP8X'
  const vp8x = isExtended ? image.slice(first.from, first.to) : createVp8x(image, first)
  if (!vp8x) return undefined
  vp8x[8] = (vp8x[8] ?? 0) | vp8xFlags.profile
  const otherChunks = image.subarray(isExtended ? first.to : riffHeaderBytes)
  const header = image.slice(0, riffHeaderBytes)
  const length = riffHeaderBytes - 8 + vp8x.length + profile.length + otherChunks.length
  new DataView(header.buffer).setUint32(4, length, true)
  return [header, vp8x, profile, otherChunks]
}

/**
 * Creates a VP8X chunk with the size and the alpha flag of a VP8 or VP8L chunk. Returns undefined for another or a
 * truncated chunk.
 */
function createVp8x(image: Uint8Array, { name, from }: WebpChunk): Uint8Array | undefined {
  const view = new DataView(image.buffer, image.byteOffset, image.length)
  const data = from + 8
  if (data + 10 > image.length) return undefined
  const chunk = new Uint8Array(18)
  const chunkView = new DataView(chunk.buffer)
  chunk.set([...'VP8X'].map((letter) => letter.charCodeAt(0)))
  chunkView.setUint32(4, 10, true)
  if (name === 'VP8 ') {
    // Three bytes of frame tag and three of start code, then 14 bits per side.
    setVp8xSize(
      chunkView,
      (view.getUint16(data + 6, true) & 0x3fff) - 1,
      (view.getUint16(data + 8, true) & 0x3fff) - 1,
    )
  } else if (name === 'VP8L') {
    // One byte, then 14 bits per side minus one, then the alpha flag.
    const bits = view.getUint32(data + 1, true)
    chunk[8] = (bits >>> 28) & 1 ? vp8xFlags.alpha : 0
    setVp8xSize(chunkView, bits & 0x3fff, (bits >>> 14) & 0x3fff)
  } else return undefined
  return chunk
}

/** Sets the size in a VP8X chunk: 24 bits per side. Both sides are given minus one and have at most 14 bits. */
function setVp8xSize(chunkView: DataView, widthMinus1: number, heightMinus1: number): void {
  chunkView.setUint16(12, widthMinus1, true)
  chunkView.setUint16(15, heightMinus1, true)
}

/** Yields the chunks of a WebP file. */
function* webpChunks(bytes: Uint8Array): Generator<WebpChunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = riffHeaderBytes; at + 8 <= bytes.length;) {
    const length = view.getUint32(at + 4, true)
    // Chunks of odd length are padded by one byte.
    const to = at + 8 + length + (length % 2)
    const name = textAt(bytes, at, 4)
    yield { name, from: at, to: Math.min(to, bytes.length), isComplete: to <= bytes.length }
    at = to
  }
}

/** Offset of the colour space in a profile, bytes. */
const colourSpaceOffset = 16

/** Returns whether the profile at an offset describes RGB colours. */
function isRgbProfile(bytes: Uint8Array, offset: number): boolean {
  return textAt(bytes, offset + colourSpaceOffset, 4) === 'RGB '
}

/** Decodes the Latin-1 text at an offset. */
function textAt(bytes: Uint8Array, offset: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + length))
}
