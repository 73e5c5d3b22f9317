import type { SourceProblem } from './problem.ts'
import { attributeValue, childNodes, sourceLine, type ParticleElement } from './tree.ts'

/** Attributes that have something loaded; `href` on all but links that are only followed. */
const loadingAttributes = new Set(['src', 'srcset', 'imagesrcset', 'poster', 'background', 'data', 'href'])
const linkElements = new Set(['a', 'area'])

/** What a browser takes from the source itself. */
const embeddedUrl = /^\s*(data:|#|about:|$)/i

const embedHint = 'a particle reaches neither the network nor files: put it in as a data: URI'

/** What an element would load from elsewhere, in its attributes and its style. */
export function* findExternalReferences(element: ParticleElement): Generator<SourceProblem> {
  const { tagName } = element
  for (const { name, value } of element.attrs) {
    const loads = name === 'data' ? tagName === 'object' : loadingAttributes.has(name)
    if (!loads || (name === 'href' && linkElements.has(tagName)) || embeddedUrl.test(value)) continue
    // A few libraries may be installed where it is played, which then tells.
    if (tagName === 'script' && /^\s*https:/i.test(value)) continue
    const message = `<${tagName} ${name}="${shortenUrl(value)}"> lies outside; ${embedHint}`
    yield { severity: 'error', message, line: sourceLine(element, name), subject: normalizeUrl(value) }
  }
  const style = attributeValue(element, 'style')
  if (style !== undefined) yield* findExternalStyles(style, sourceLine(element, 'style'))
  if (tagName !== 'style') return
  for (const node of childNodes(element)) {
    if (node.nodeName === '#text' && 'value' in node) {
      yield* findExternalStyles(node.value, node.sourceCodeLocation?.startLine)
    }
  }
}

/** Addresses in CSS: `url(…)`, and what `@import` names without it. */
const cssUrls = /url\(\s*["']?([^"')\s]{0,200})|@import\s+["']([^"'\n]{0,200})/gi

function* findExternalStyles(css: string, firstLine: number | undefined): Generator<SourceProblem> {
  let line = firstLine
  let counted = 0
  for (const found of css.matchAll(cssUrls)) {
    const address = found[1] ?? found[2] ?? ''
    if (embeddedUrl.test(address)) continue
    if (line !== undefined) line += css.slice(counted, found.index).split('\n').length - 1
    counted = found.index
    const message = `the style loads ${shortenUrl(address)}; ${embedHint}`
    yield { severity: 'error', message, line, subject: normalizeUrl(address) }
  }
}

function shortenUrl(address: string): string {
  const text = address.trim().replaceAll(/\s+/g, ' ')
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/** An address as a browser asks for it, where it is whole. */
function normalizeUrl(address: string): string {
  return URL.canParse(address) ? new URL(address).href : address
}
