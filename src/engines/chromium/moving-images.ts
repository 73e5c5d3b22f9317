/** Images in a source that are data: their type, and what they hold. Parameters are short: a search is linear. */
const images = /data:image\/(gif|png|apng|webp)[^,"')]{0,100};base64,([A-Za-z0-9+/=]+)/g

/** The line, from 1, of the first image of a source that moves by itself, which no clock drives. */
export function movingImageLine(source: string): number | undefined {
  for (const { index, 1: type, 2: text } of source.matchAll(images)) {
    const bytes = Buffer.from(text ?? '', 'base64').toString('latin1')
    if (moves[type ?? '']?.(bytes)) return source.slice(0, index).split('\n').length
  }
  return undefined
}

const isAnimatedPng = (bytes: string) => bytes.slice(0, bytes.indexOf('IDAT')).includes('acTL')

/** By type: GIF with a second graphic control extension, PNG with an animation chunk, WebP with its animation flag. */
const moves: Readonly<Record<string, (bytes: string) => boolean>> = {
  gif: (bytes) => bytes.split('\x21\xf9\x04').length > 2,
  png: isAnimatedPng,
  apng: isAnimatedPng,
  webp: (bytes) => bytes.startsWith('VP8X', 12) && (bytes.charCodeAt(20) & 2) !== 0,
}
