import { summarizeList } from '../../contract/format.ts'
import { isAssetName, isImageAttribute } from './image-urls.ts'
import { attributeValue, childNodes, sourceLine, type ParticleElement } from './parse-source.ts'
import type { SourceProblem } from './problem.ts'

/** Names of the images that the composition provides; `unknown` if it is chosen later. */
export type ImageNames = readonly string[] | 'unknown'

/** A URL that an element would load from outside of its source. */
interface ExternalReference {
  readonly url: string
  /** Describes what loads it, with a verb. */
  readonly loads: string
  readonly isImage: boolean
  readonly line: number | undefined
}

/**
 * Finds external resources that an element would load by its attributes and style. Where the names of images are unknown,
 * a URL that may be one is a warning.
 */
export function* findExternalReferences(
  element: ParticleElement,
  imageNames: ImageNames,
): Generator<SourceProblem> {
  for (const { url, loads, isImage, line } of externalReferences(element)) {
    const mayBeName = isImage && isAssetName(url)
    const isWarning = mayBeName && imageNames === 'unknown'
    const severity = isWarning ? 'warning' : 'error'
    const hint = isWarning ? missingImageHint : embedHint + (mayBeName ? assetHint(imageNames) : '')
    yield { severity, message: `${loads}; ${hint}`, line, subject: normalizeUrl(url) }
  }
}

const embedHint = 'a particle has no access to network or files: embed it as a data: URI'

const missingImageHint =
  'its picture is missing here; a render shows it if composition.assets.file_id has an image of that name'

/** Most image names in an error. */
const maxListedNames = 8

function assetHint(imageNames: ImageNames): string {
  const names = imageNames === 'unknown' ? [] : imageNames
  const known = names.length === 0 ? 'none' : summarizeList(names, maxListedNames, ', ')
  return `, or use the name of an image in composition.assets.file_id (there: ${known})`
}

/** Attributes whose URL is loaded; `href` except on links. */
const loadingAttributes = new Set(['src', 'srcset', 'imagesrcset', 'poster', 'background', 'data', 'href'])
const linkElements = new Set(['a', 'area'])

/** Matches URLs that refer to the source itself. */
const embeddedUrl = /^\s*(data:|#|about:|$)/i

function* externalReferences(element: ParticleElement): Generator<ExternalReference> {
  const { tagName } = element
  for (const { name, value: url } of element.attrs) {
    const isLoaded = name === 'data' ? tagName === 'object' : loadingAttributes.has(name)
    if (!isLoaded || (name === 'href' && linkElements.has(tagName)) || embeddedUrl.test(url)) continue
    // Some libraries may be installed; playing the particle reports missing ones.
    if (tagName === 'script' && /^\s*https:/i.test(url)) continue
    const loads = `<${tagName} ${name}="${shortenUrl(url)}"> is external`
    yield { url, loads, isImage: isImageAttribute(tagName, name), line: sourceLine(element, name) }
  }
  const style = attributeValue(element, 'style')
  if (style !== undefined) yield* styleReferences(style, sourceLine(element, 'style'))
  if (tagName !== 'style') return
  for (const node of childNodes(element)) {
    if (node.nodeName === '#text' && 'value' in node) {
      yield* styleReferences(node.value, node.sourceCodeLocation?.startLine)
    }
  }
}

/** URLs in CSS: in `url(…)` and after `@import`. */
const cssUrls =
  /url\(\s*(?:"([^"\n]{0,200})|'([^'\n]{0,200})|([^"')\s]{0,200}))|@import\s+["']([^"'\n]{0,200})/gi

function* styleReferences(css: string, firstLine: number | undefined): Generator<ExternalReference> {
  let line = firstLine
  let counted = 0
  for (const found of css.matchAll(cssUrls)) {
    const [, doubleQuoted, singleQuoted, bare, sheet = ''] = found
    const image = doubleQuoted ?? singleQuoted ?? bare
    const url = image ?? sheet
    if (embeddedUrl.test(url)) continue
    if (line !== undefined) line += css.slice(counted, found.index).split('\n').length - 1
    counted = found.index
    yield { url, loads: `the style loads ${shortenUrl(url)}`, isImage: image !== undefined, line }
  }
}

function shortenUrl(address: string): string {
  const text = address.trim().replaceAll(/\s+/g, ' ')
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/** Returns a URL as a browser requests it; relative ones unchanged. */
function normalizeUrl(address: string): string {
  return URL.canParse(address) ? new URL(address).href : address
}
