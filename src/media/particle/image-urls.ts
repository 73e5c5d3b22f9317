import type { TextRange } from '../text-edits.ts'
import { childNodes, descendantElements, parseSource, type ParticleElement } from './parse-source.ts'

/** A URL of an image in a particle's source, and its range in the text. */
export interface ImageUrl extends TextRange {
  readonly url: string
}

/** Attributes that contain the URL of an image, by element; `*` for all elements. */
const imageAttributes: Readonly<Record<string, readonly string[]>> = {
  img: ['src', 'srcset'],
  source: ['srcset'],
  input: ['src'],
  image: ['href'],
  feImage: ['href'],
  video: ['poster'],
  '*': ['background'],
}

/** Whether an attribute of an element contains URLs of images. */
export function isImageAttribute(tagName: string, name: string): boolean {
  return [...(imageAttributes[tagName] ?? []), ...(imageAttributes['*'] ?? [])].includes(name)
}

/** Whether a URL may be the name of an asset: it has neither scheme, host, absolute path nor fragment alone. */
export function isAssetName(url: string): boolean {
  const name = url.trim()
  return name !== '' && !/^[/\\#]/.test(name) && !URL.canParse(name)
}

/**
 * Finds the URLs of images in a particle's template, in order: of attributes, and of url() in styles. Returns none if the
 * source cannot be parsed.
 */
export function findImageUrls(source: string): ImageUrl[] {
  const parsed = parseSource(source)
  if ('reason' in parsed || !parsed.template) return []
  const urls: ImageUrl[] = []
  for (const element of descendantElements(parsed.template)) {
    urls.push(...attributeUrls(element, source), ...styleElementUrls(element, source))
  }
  return urls.toSorted((one, other) => one.from - other.from)
}

function* attributeUrls(element: ParticleElement, source: string): Generator<ImageUrl> {
  const locations = element.sourceCodeLocation?.attrs ?? {}
  for (const { name } of element.attrs) {
    const isStyle = name === 'style'
    if (!isStyle && !isImageAttribute(element.tagName, name)) continue
    const location = locations[name] ?? locations[`xlink:${name}`]
    const range = location && valueRange(source, { from: location.startOffset, to: location.endOffset })
    if (!range) continue
    if (isStyle) yield* matches(cssUrl, source, range)
    else if (name === 'srcset') yield* matches(srcsetUrl, source, range)
    else yield* matches(wholeUrl, source, range)
  }
}

/** Returns the range of an attribute's value, without its quotes. */
function valueRange(source: string, { from, to }: TextRange): TextRange | undefined {
  const [before] = /^[^=]*=\s*["']?/.exec(source.slice(from, to)) ?? []
  if (before === undefined) return undefined
  const isQuoted = /["']$/.test(before)
  return { from: from + before.length, to: isQuoted ? to - 1 : to }
}

function* styleElementUrls(element: ParticleElement, source: string): Generator<ImageUrl> {
  if (element.tagName !== 'style') return
  for (const { sourceCodeLocation: location } of childNodes(element)) {
    if (location) yield* matches(cssUrl, source, { from: location.startOffset, to: location.endOffset })
  }
}

const wholeUrl = /^\s*(?<url>\S(?:.*\S)?)\s*$/dgs
/** A candidate of srcset: URL and optional descriptor (HTML, srcset attributes). */
const srcsetUrl = /(?:^|,)\s*(?<url>[^\s,]\S*[^\s,]|[^\s,])/dg
/** A URL in CSS, also with quotes that are escaped in an attribute. */
const cssUrl =
  /url\(\s*(?:(?<quote>["']|&quot;|&#39;)(?<quoted>[^"'\n]{1,200}?)\k<quote>|(?<url>[^\s"'()&]{1,200}))\s*\)/dgi

function* matches(pattern: RegExp, source: string, { from, to }: TextRange): Generator<ImageUrl> {
  for (const { indices } of source.slice(from, to).matchAll(pattern)) {
    const [start, end] = indices?.groups?.['url'] ?? indices?.groups?.['quoted'] ?? [0, 0]
    yield { url: source.slice(from + start, from + end), from: from + start, to: from + end }
  }
}
