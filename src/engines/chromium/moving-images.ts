/** Where an image begins that is data: its type, and its parameters, which are short: a search is linear. */
const beginning = /data:image\/(gif|png|apng|webp|avif|svg\+xml)((?:;[^,;"')]{0,100}){0,4}),/gi

/** The line, from 1, of the first image of a text that moves by itself, which no clock drives. */
export function movingImageLine(text: string): number | undefined {
  const found = [...text.matchAll(beginning)]
  const drawings = found.filter(({ 1: type }) => type?.toLowerCase() === 'svg+xml')
  const ends = new Map(drawings.map(({ index }, place) => [index, drawings[place + 1]?.index]))
  const moving = found.find(({ index, 0: { length }, 1: type = '', 2: parameters = '' }, place) => {
    // A drawing may hold images; nothing else does.
    const rest = text.slice(index + length, ends.has(index) ? ends.get(index) : found[place + 1]?.index)
    const isBase64 = /;\s*base64$/i.test(parameters)
    return moves[type.toLowerCase()]?.(isBase64 ? decoded(rest) : written(rest))
  })
  return moving && text.slice(0, moving.index).split('\n').length
}

/** What is written in base64, as far as it goes. */
function decoded(text: string): string {
  const digits = /^[A-Za-z0-9+/=%]*/.exec(text)?.[0] ?? ''
  return Buffer.from(unescaped(digits), 'base64').toString('latin1')
}

/** A drawing that is written out: escaped it has no blanks or quotation marks, else it ends with its element. */
function written(text: string): string {
  const end = /^%3c/i.test(text) ? /["<>\s]/ : /<\/svg\s*>/i
  return unescaped(text.slice(0, end.exec(text)?.index))
}

function unescaped(text: string): string {
  return text.replaceAll(/%[\da-f]{2}/gi, (one) => String.fromCharCode(Number.parseInt(one.slice(1), 16)))
}

const isAnimatedPng = (bytes: string) => bytes.slice(0, bytes.indexOf('IDAT')).includes('acTL')

/** Elements of SVG that move what they lie in, and what of CSS does. */
const motion = /<(?:animate\w*|set)[\s/>]|@keyframes|[\s;{"']animation(?:-name)?\s*:/i

/**
 * By type: GIF with a second graphic control extension, PNG with an animation chunk, WebP with its animation flag,
 * AVIF of the brand of sequences (AV1 image file format, 5.2), and drawings that move or hold an image that does.
 */
const moves: Readonly<Record<string, (bytes: string) => boolean>> = {
  gif: (bytes) => bytes.split('\x21\xf9\x04').length > 2,
  png: isAnimatedPng,
  apng: isAnimatedPng,
  webp: (bytes) => bytes.startsWith('VP8X', 12) && (bytes.charCodeAt(20) & 2) !== 0,
  avif: (bytes) => /^.{4}ftyp(?:.{4}){0,20}avis/s.test(bytes.slice(0, Math.min(96, bytes.charCodeAt(3)))),
  'svg+xml': (text) =>
    /^\s*<(?:svg|\?|!)/.test(text) && (motion.test(text) || movingImageLine(text) !== undefined),
}
