import { isRgbProfile, textAt } from './icc.ts'
import type { ImageProfile } from './profile.ts'

/** Segment markers, after 0xff. */
const marker = { app0: 0xe0, app2: 0xe2, scan: 0xda }

const profileLabel = 'ICC_PROFILE\0'

/** Length of label, sequence number and count before each part of a profile, bytes. */
const profileHeaderBytes = profileLabel.length + 2

/** Finds the profile in the APP2 segments, up to 64 KiB each, that precede the picture. */
export function findInJpeg(bytes: Uint8Array): ImageProfile | undefined {
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
export function putIntoJpeg(image: Uint8Array, profile: Uint8Array): readonly Uint8Array[] {
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
