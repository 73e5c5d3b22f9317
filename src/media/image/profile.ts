import { findInBmp } from './bmp-profile.ts'
import { textAt } from './icc.ts'
import { findInJpeg, putIntoJpeg } from './jpeg-profile.ts'
import { findInPng, putIntoPng } from './png-profile.ts'
import { findInWebp, putIntoWebp } from './webp-profile.ts'

/** An ICC profile, which says what colours the numbers of an image mean. */
export interface ImageProfile {
  /** As the image's format keeps it, ready to be put into another image of that format; undefined where it cannot be. */
  readonly bytes: Uint8Array | undefined
  /** Whether it is of red, green and blue; others are of grey or of printing colours. */
  readonly isRgb: boolean
}

/** Enough of an image for its head with a profile, bytes. */
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

/** The profile of an image by its head, by content; undefined where there is none. */
export function findProfile(head: Uint8Array): ImageProfile | undefined {
  const format = imageFormat(head)
  return format && profileFormats[format].find(head)
}

/** An image with the profile of another of the same format, in pieces; undefined where it is of another. */
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
