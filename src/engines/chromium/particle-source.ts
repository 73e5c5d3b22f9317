import { readFile } from 'node:fs/promises'
import { MediaError } from '../../contract/errors.ts'
import type { StagedFile } from '../../contract/operation.ts'
import type { ParticleProblem } from './particle.ts'

/** Reads the text of an HTML file. Throws 6016 if it is not UTF-8. */
export async function readParticleSource({ path, name }: Pick<StagedFile, 'path' | 'name'>): Promise<string> {
  const bytes = await readFile(path)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new MediaError(6016, `${name} is not UTF-8 text`, { cause: error, hint: 'Save it as UTF-8.' })
  }
}

/** Problem message of animated images. */
export const animatedImageMessage = 'has an animated image, whose time cannot be controlled'

/** Returns the first problem of a source that playing it would not reveal, such as an animated image. */
export function findSourceProblem(html: string): ParticleProblem | undefined {
  const line = animatedImageLine(html)
  if (line !== undefined) return { message: animatedImageMessage, line }
  const shadow = /\bshadowrootmode\s*=/i.exec(html)
  if (!shadow) return undefined
  return {
    message: 'has a shadow tree, which cannot be inspected; put its elements into the page',
    line: html.slice(0, shadow.index).split('\n').length,
  }
}

/** Returns the line, from 1, of the first animated image in a text; undefined if there is none. */
export function animatedImageLine(text: string): number | undefined {
  const index = animatedImageIndex(text, 1)
  return index === undefined ? undefined : text.slice(0, index).split('\n').length
}

/** Depth to which SVG images within SVG images are inspected; deeper ones count as animated. */
const maxSvgDepth = 4

/**
 * Returns the index of the first animated image. Runs in linear time on hostile text: a data URI ends where the next
 * begins, except for SVG, which may contain images and ends where the next SVG begins.
 */
function animatedImageIndex(text: string, depth: number): number | undefined {
  const uris = findDataUris(text)
  const svgUris = uris.filter(({ isSvg }) => isSvg)
  const ends = new Map(svgUris.map(({ index }, ordinal) => [index, svgUris[ordinal + 1]?.index]))
  return uris.find(({ index, isSvg, isBase64, bodyStart, end }) => {
    const rest = text.slice(bodyStart, isSvg ? ends.get(index) : end)
    if (!isSvg) return isAnimatedRaster(isBase64 ? decodeBase64(rest) : percentDecode(rest))
    return isAnimatedSvg(isBase64 ? decodeBase64(rest) : decodeSvg(rest), depth)
  })?.index
}

interface DataUri {
  readonly index: number
  readonly isSvg: boolean
  readonly isBase64: boolean
  /** Index after its comma. */
  readonly bodyStart: number
  /** Index where the next data URI begins. */
  readonly end: number
}

/** Finds data URIs of any type: browsers recognise raster images by their bytes. */
function findDataUris(text: string): DataUri[] {
  const starts = [...text.matchAll(/data:/gi)].map(({ index }) => index)
  return starts.flatMap((index, ordinal) => {
    const end = starts[ordinal + 1] ?? text.length
    const typeStart = index + 'data:'.length
    const comma = text.slice(typeStart, end).indexOf(',')
    if (comma < 0) return []
    const type = text.slice(typeStart, typeStart + comma)
    const isSvg = /^\s*image\/svg\+xml\s*(?:;|$)/i.test(type)
    const isBase64 = /;\s*base64\s*(?:;|$)/i.test(type)
    return { index, isSvg, isBase64, bodyStart: typeStart + comma + 1, end }
  })
}

/** Decodes the leading base64 characters of a text to a string of bytes. */
function decodeBase64(text: string): string {
  const digits = /^[A-Za-z0-9+/=%\s]*/.exec(text)?.[0] ?? ''
  return Buffer.from(percentDecode(digits), 'base64').toString('latin1')
}

/** Decodes an SVG that is not base64: percent-encoded it has no blanks or quotes, otherwise it ends with </svg>. */
function decodeSvg(text: string): string {
  const end = /^%3c/i.test(text) ? /["<>\s]/ : /<\/svg\s*>/i
  return percentDecode(text.slice(0, end.exec(text)?.index))
}

function percentDecode(text: string): string {
  return text.replaceAll(/%[\da-f]{2}/gi, (one) => String.fromCharCode(Number.parseInt(one.slice(1), 16)))
}

/**
 * Raster formats by their first bytes, and how each marks animation: GIF with a second graphic control extension, PNG with an animation chunk, WebP with its animation
 * flag, AVIF with the image sequence brand (AV1 image file format, 5.2).
 */
const rasterFormats = [
  { signature: /^GIF8/, isAnimated: (bytes: string) => bytes.split('\x21\xf9\x04').length > 2 },
  {
    signature: /^\x89PNG/,
    isAnimated: (bytes: string) => bytes.slice(0, bytes.indexOf('IDAT')).includes('acTL'),
  },
  {
    signature: /^RIFF.{4}WEBP/s,
    isAnimated: (bytes: string) => bytes.startsWith('VP8X', 12) && (bytes.charCodeAt(20) & 2) !== 0,
  },
  {
    signature: /^.{4}ftyp/s,
    isAnimated: (bytes: string) =>
      /^.{8}(?:.{4}){0,20}avis/s.test(bytes.slice(0, Math.min(96, bytes.charCodeAt(3)))),
  },
]

function isAnimatedRaster(bytes: string): boolean {
  return rasterFormats.find(({ signature }) => signature.test(bytes))?.isAnimated(bytes) ?? false
}

/** SVG animation elements and CSS animations. */
const svgAnimation = /<(?:animate\w*|set)[\s/>]|@keyframes|[\s;{"']animation(?:-name)?\s*:/i

function isAnimatedSvg(text: string, depth: number): boolean {
  if (!/^\s*<(?:svg|\?|!)/.test(text)) return false
  return depth > maxSvgDepth || svgAnimation.test(text) || animatedImageIndex(text, depth + 1) !== undefined
}
