import { findInBmp } from './bmp-profile.ts'
import { textAt } from './icc.ts'
import { findInJpeg, putIntoJpeg } from './jpeg-profile.ts'
import { findInPng, putIntoPng } from './png-profile.ts'
import { findInWebp, putIntoWebp } from './webp-profile.ts'

/** An ICC profile, which says what colours the numbers of an image mean. */
export interface FoundProfile {
  /** As the image's format keeps it, ready to be put into another image of that format; undefined where it cannot be. */
  readonly bytes: Uint8Array | undefined
  /** Whether it is of red, green and blue; others are of grey or of printing colours. */
  readonly isRgb: boolean
}

/** Enough of an image for its head with a profile, bytes. */
export const headBytes = 8 * 2 ** 20

type Format = 'png' | 'jpeg' | 'webp' | 'bmp'

interface Keeping {
  readonly find: (bytes: Uint8Array) => FoundProfile | undefined
  readonly put: (image: Uint8Array, profile: Uint8Array) => readonly Uint8Array[] | undefined
}

const formats: Readonly<Record<Format, Keeping>> = {
  png: { find: findInPng, put: putIntoPng },
  jpeg: { find: findInJpeg, put: putIntoJpeg },
  webp: { find: findInWebp, put: putIntoWebp },
  bmp: { find: findInBmp, put: () => undefined },
}

/** The profile of an image by its head, by content; undefined where there is none. */
export function profileIn(head: Uint8Array): FoundProfile | undefined {
  const format = formatOf(head)
  return format && formats[format].find(head)
}

/** An image with the profile of another of the same format, in pieces; undefined where it is of another. */
export function withProfile(image: Uint8Array, source: Uint8Array): readonly Uint8Array[] | undefined {
  const format = formatOf(image)
  const profile = profileIn(source)
  if (!format || !profile?.bytes || format !== formatOf(source)) return undefined
  return formats[format].put(image, profile.bytes)
}

function formatOf(bytes: Uint8Array): Format | undefined {
  const text = textAt(bytes, 0, 16)
  if (text.startsWith('\u0089PNG\r\n\u001a\n')) return 'png'
  if (text.startsWith('\u00ff\u00d8\u00ff')) return 'jpeg'
  if (text.startsWith('BM')) return 'bmp'
  return /^RIFF.{4}WEBP/s.test(text) ? 'webp' : undefined
}
