/** Offset of the colour space in a profile, bytes. */
const colourSpaceOffset = 16

/** Returns whether the profile at an offset describes RGB colours. */
function isRgbProfile(bytes: Uint8Array, profile: number): boolean {
  return textAt(bytes, profile + colourSpaceOffset, 4) === 'RGB '
}

/** Returns the text at an offset, one byte per character. */
function textAt(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length))
}

/** The length field of the second header, which identifies the header's version; bytes. */
const headerLength = { at: 14, ofVersion5: 124 }
const colourSpaceField = 14 + 56

/** Tags of an embedded and of a linked profile, "MBED" and "LINK" in little-endian order. */
const profileSpaces = ['DEBM', 'KNIL']

/** Detects a profile in a version 5 header. Profiles are not copied to other BMP files. */
function findInBmp(bytes: Uint8Array): ImageProfile | undefined {
  if (
    bytes[headerLength.at] !== headerLength.ofVersion5 ||
    !profileSpaces.includes(textAt(bytes, colourSpaceField, 4))
  )
    return undefined
  return { bytes: undefined, isRgb: true }
}

const signatureBytes = 8

/** PNG colour types with RGB colours: true colour, palette, true colour with alpha. */
const pngRgbColourTypes = [2, 3, 6]

/** Finds the iCCP chunk, which precedes the picture. */
function findInPng(bytes: Uint8Array): ImageProfile | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  // A chunk consists of length, name, data and checksum. The first chunk is IHDR.
  for (let at = signatureBytes; at + 12 <= bytes.length;) {
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

/** Inserts an iCCP chunk after IHDR. */
function insertIntoPng(image: Uint8Array, profile: Uint8Array): readonly Uint8Array[] {
  const header = signatureBytes + 25
  return [image.subarray(0, header), profile, image.subarray(header)]
}

/** Segment markers, after 0xff. */
const marker = { app0: 0xe0, app2: 0xe2, scan: 0xda }

const profileLabel = 'ICC_PROFILE\0'

/** Length of label, sequence number and count before each part of a profile, bytes. */
const profileHeaderBytes = profileLabel.length + 2

/** Finds the profile in the APP2 segments, up to 64 KiB each, that precede the picture. */
function findInJpeg(bytes: Uint8Array): ImageProfile | undefined {
  const found: Uint8Array[] = []
  let [isRgb, count] = [false, 0]
  for (const { kind, from, to } of jpegSegments(bytes)) {
    const data = from + 4
    if (kind !== marker.app2 || textAt(bytes, data, profileLabel.length) !== profileLabel) continue
    if (bytes[data + profileLabel.length] === 1) isRgb = isRgbProfile(bytes, data + profileHeaderBytes)
    count = bytes[data + profileLabel.length + 1] ?? 0
    found.push(bytes.slice(from, to))
  }
  if (found.length === 0) return undefined
  return { bytes: found.length === count ? joinSegments(found) : undefined, isRgb }
}

/** Inserts profile segments after the JFIF header. */
function insertIntoJpeg(image: Uint8Array, profile: Uint8Array): readonly Uint8Array[] {
  const [first] = jpegSegments(image)
  const at = first?.kind === marker.app0 ? first.to : 2
  return [image.subarray(0, at), profile, image.subarray(at)]
}

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
    if (kind === marker.scan || to < at + 4 || to > bytes.length) return
    yield { kind, from: at, to }
    at = to
  }
}

function joinSegments(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

/** RIFF, the length and WEBP. */
const riffHeaderBytes = 12

/** Flags of the VP8X chunk, which lists the features of a file with several chunks. */
const vp8xFlags = { profile: 0x20, alpha: 0x10 }

interface WebpChunk {
  readonly name: string
  readonly from: number
  readonly to: number
  /** Whether the chunk is complete. */
  readonly isWhole: boolean
}

/** Finds the ICCP chunk, which precedes the picture. */
function findInWebp(bytes: Uint8Array): ImageProfile | undefined {
  for (const { name, from, to, isWhole } of webpChunks(bytes)) {
    if (name === 'ICCP')
      return { bytes: isWhole ? bytes.slice(from, to) : undefined, isRgb: isRgbProfile(bytes, from + 8) }
  }
  return undefined
}

/** Inserts an ICCP chunk after VP8X, which is created if missing. Returns undefined for an invalid file. */
function insertIntoWebp(image: Uint8Array, profile: Uint8Array): readonly Uint8Array[] | undefined {
  const [first] = webpChunks(image)
  if (!first) return undefined
  const isExtended = first.name === 'VP8X'
  const extended = isExtended ? image.slice(first.from, first.to) : createVp8x(image, first)
  if (!extended) return undefined
  extended[8] = (extended[8] ?? 0) | vp8xFlags.profile
  const rest = image.subarray(isExtended ? first.to : riffHeaderBytes)
  const start = image.slice(0, riffHeaderBytes)
  const length = riffHeaderBytes - 8 + extended.length + profile.length + rest.length
  new DataView(start.buffer).setUint32(4, length, true)
  return [start, extended, profile, rest]
}

/** Creates a VP8X chunk with the size of the picture. */
function createVp8x(image: Uint8Array, { name, from }: WebpChunk): Uint8Array | undefined {
  const view = new DataView(image.buffer, image.byteOffset, image.length)
  const data = from + 8
  if (data + 10 > image.length) return undefined
  const chunk = new Uint8Array(18)
  const into = new DataView(chunk.buffer)
  chunk.set([...'VP8X'].map((letter) => letter.charCodeAt(0)))
  into.setUint32(4, 10, true)
  if (name === 'VP8 ') {
    // Three bytes of frame tag and three of start code, then 14 bits per side.
    setVp8xSize(
      into,
      (view.getUint16(data + 6, true) & 0x3fff) - 1,
      (view.getUint16(data + 8, true) & 0x3fff) - 1,
    )
  } else if (name === 'VP8L') {
    // One byte, then 14 bits per side minus one, then the alpha flag.
    const bits = view.getUint32(data + 1, true)
    chunk[8] = (bits >>> 28) & 1 ? vp8xFlags.alpha : 0
    setVp8xSize(into, bits & 0x3fff, (bits >>> 14) & 0x3fff)
  } else return undefined
  return chunk
}

/** Sets the size: 24 bits per side minus one. The bytes after each value are written later or stay 0. */
function setVp8xSize(into: DataView, width: number, height: number): void {
  into.setUint16(12, width, true)
  into.setUint16(15, height, true)
}

function* webpChunks(bytes: Uint8Array): Generator<WebpChunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = riffHeaderBytes; at + 8 <= bytes.length;) {
    const length = view.getUint32(at + 4, true)
    // Chunks of odd length are padded by one byte.
    const to = at + 8 + length + (length % 2)
    const name = textAt(bytes, at, 4)
    yield { name, from: at, to: Math.min(to, bytes.length), isWhole: to <= bytes.length }
    at = to
  }
}

/** An ICC profile, which defines the colours of an image's values. */
interface ImageProfile {
  /**
   * Encoded for the image's format, ready to insert into another image of that format; undefined if
   * impossible.
   */
  readonly bytes: Uint8Array | undefined
  /** Whether it describes RGB colours rather than grey or printing colours. */
  readonly isRgb: boolean
}

/** Bytes from the start of an image that suffice for its headers and a profile. */
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
 * Finds the profile in the start of an image. Detects the format by content. Returns undefined if there is
 * none.
 */
export function findProfile(head: Uint8Array): ImageProfile | undefined {
  const format = profileContainer(head)
  return format && profileFormats[format].find(head)
}

/**
 * Returns an image with the profile of another image, in parts. Returns undefined if the formats differ or
 * there is no usable profile.
 */
export function copyProfile(image: Uint8Array, source: Uint8Array): readonly Uint8Array[] | undefined {
  const format = profileContainer(image)
  const profile = findProfile(source)
  if (!format || !profile?.bytes || format !== profileContainer(source)) return undefined
  return profileFormats[format].insert(image, profile.bytes)
}

function profileContainer(bytes: Uint8Array): ProfileContainer | undefined {
  const text = textAt(bytes, 0, 16)
  if (text.startsWith('\u0089PNG\r\n\u001a\n')) return 'png'
  if (text.startsWith('\u00ff\u00d8\u00ff')) return 'jpeg'
  if (text.startsWith('BM')) return 'bmp'
  return /^RIFF.{4}WEBP/s.test(text) ? 'webp' : undefined
}
