import { closeSync, openSync, readSync } from 'node:fs'
import { MediaError } from '../../contract/errors.ts'

/** Bytes at the start of an image that contain its signature, its brand or animation flag, and the header of a PNG. */
const imageHeadBytes = 32

const imageSignatures = [
  { demuxer: 'png_pipe', ext: '.png', bytes: /^\x89PNG/ },
  { demuxer: 'jpeg_pipe', ext: '.jpg', bytes: /^\xff\xd8\xff/ },
  { demuxer: 'webp_pipe', ext: '.webp', bytes: /^RIFF.{4}WEBP/s },
  { demuxer: 'bmp_pipe', ext: '.bmp', bytes: /^BM/ },
]

const convertFix = 'Convert it to JPEG, PNG, WebP or BMP.'

/** Images that ffmpeg reads wrongly or not at all, whatever their extension. */
const unsupportedImages: readonly {
  readonly what: string
  readonly matches: (first: string) => boolean
  readonly fix: string
}[] = [
  {
    what: 'an animated WebP',
    // Bit 1 of the flags of VP8X.
    matches: (first) => /^RIFF.{4}WEBPVP8X/s.test(first) && (first.charCodeAt(20) & 2) !== 0,
    fix: 'Save one of its frames as a still image, or convert it to a video.',
  },
  {
    what: 'a GIF',
    matches: (first) => /^GIF8[79]a/.test(first),
    fix: `${convertFix} Convert an animated one to a video.`,
  },
  {
    what: 'an AVIF or HEIF image',
    matches: (first) => /^.{4}ftyp(?:avif|avis|heic|heix|hevc|mif1|msf1)/s.test(first),
    fix: convertFix,
  },
  { what: 'a TIFF image', matches: (first) => /^(?:II\*\0|MM\0\*)/.test(first), fix: convertFix },
]

/**
 * Names the single-picture demuxer. By the file name alone, ffmpeg would read an image sequence (image2). The
 * demuxer is chosen by content, because extensions of images are often wrong. Throws 6017 for a format that is not supported.
 */
export function imageDemuxer(start: Buffer): string[] {
  const first = start.toString('latin1', 0, imageHeadBytes)
  const unsupported = unsupportedImages.find(({ matches }) => matches(first))
  if (unsupported) {
    throw new MediaError(6017, `the file is ${unsupported.what}, which is not supported`, {
      hint: unsupported.fix,
    })
  }
  const signature = findSignature(first)
  return signature ? ['-f', signature.demuxer] : []
}

function findSignature(first: string) {
  return imageSignatures.find(({ bytes }) => bytes.test(first))
}

/** Returns the extension of a still image, by its first bytes; undefined for a format that is not supported. */
export function imageExtension(start: Buffer): string | undefined {
  const first = start.toString('latin1', 0, imageHeadBytes)
  if (unsupportedImages.some(({ matches }) => matches(first))) return undefined
  return findSignature(first)?.ext
}

/** Returns the largest number of bytes that a pixel of an image takes when decoded. start: first bytes of the file. */
export function decodedPixelBytes(start: Buffer): number {
  const isPng = start.toString('latin1', 0, 4) === '\x89PNG'
  const [depth, colourType] = [start[24] ?? 0, start[25] ?? 0]
  // Bit 1 of the colour type: red, green and blue. A transparent colour may add a fourth channel.
  return isPng && depth === 16 && (colourType & 2) > 0 ? 8 : 4
}

/** Returns the first bytes of an image, which contain its format. Throws 6017. */
export function readImageHead(path: string): Buffer {
  const buffer = Buffer.alloc(imageHeadBytes)
  try {
    const file = openSync(path, 'r')
    try {
      return buffer.subarray(0, readSync(file, buffer, 0, imageHeadBytes, 0))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw new MediaError(6017, 'the file cannot be read', { cause: error })
  }
}
