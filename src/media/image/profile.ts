import { findInBmp } from './bmp-profile.ts'
import { textAt } from './icc.ts'
import { findInJpeg, putIntoJpeg } from './jpeg-profile.ts'
import { findInPng, putIntoPng } from './png-profile.ts'
import { findInWebp, putIntoWebp } from './webp-profile.ts'

/** An ICC profile, which defines the colours of an image's values. */
export interface ImageProfile {
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

type ImageFormat = 'png' | 'jpeg' | 'webp' | 'bmp'

interface ProfileFormat {
  readonly find: (bytes: Uint8Array) => ImageProfile | undefined
  readonly put: (image: Uint8Array, profile: Uint8Array) => readonly Uint8Array[] | undefined
}

const profileFormats: Readonly<Record<ImageFormat, ProfileFormat>> = {
  png: { find: findInPng, put: putIntoPng },
  jpeg: { find: findInJpeg, put: putIntoJpeg },
  webp: { find: findInWebp, put: putIntoWebp },
  bmp: { find: findInBmp, put: () => undefined },
}

/**
 * Finds the profile in the start of an image. Detects the format by content. Returns undefined if there is
 * none.
 */
export function findProfile(head: Uint8Array): ImageProfile | undefined {
  const format = imageFormat(head)
  return format && profileFormats[format].find(head)
}

/**
 * Returns an image with the profile of another image, in parts. Returns undefined if the formats differ or
 * there is no usable profile.
 */
export function copyProfile(image: Uint8Array, source: Uint8Array): readonly Uint8Array[] | undefined {
  const format = imageFormat(image)
  const profile = findProfile(source)
  if (!format || !profile?.bytes || format !== imageFormat(source)) return undefined
  return profileFormats[format].put(image, profile.bytes)
}

function imageFormat(bytes: Uint8Array): ImageFormat | undefined {
  const text = textAt(bytes, 0, 16)
  if (text.startsWith('\u0089PNG\r\n\u001a\n')) return 'png'
  if (text.startsWith('\u00ff\u00d8\u00ff')) return 'jpeg'
  if (text.startsWith('BM')) return 'bmp'
  return /^RIFF.{4}WEBP/s.test(text) ? 'webp' : undefined
}
