import type { Problem } from './problem.ts'
import { attributeOf, childrenOf, lineOf, type Element } from './tree.ts'

/** Attributes that have something loaded; `href` on all but links that are only followed. */
const loading = new Set(['src', 'srcset', 'imagesrcset', 'poster', 'background', 'data', 'href'])
const followed = new Set(['a', 'area'])

/** What a browser takes from the source itself. */
const inside = /^\s*(data:|#|about:|$)/i

const instead = 'a particle reaches neither the network nor files: put it in as a data: URI'

/** What an element would load from elsewhere, in its attributes and its style. */
export function* outsideOf(element: Element): Generator<Problem> {
  const { tagName } = element
  for (const { name, value } of element.attrs) {
    const loads = name === 'data' ? tagName === 'object' : loading.has(name)
    if (!loads || (name === 'href' && followed.has(tagName)) || inside.test(value)) continue
    // A few libraries may be installed where it is played, which then tells.
    if (tagName === 'script' && /^\s*https:/i.test(value)) continue
    const message = `<${tagName} ${name}="${shortened(value)}"> lies outside; ${instead}`
    yield { severity: 'error', message, line: lineOf(element, name), about: asAsked(value) }
  }
  const style = attributeOf(element, 'style')
  if (style !== undefined) yield* outsideOfStyle(style, lineOf(element, 'style'))
  if (tagName !== 'style') return
  for (const node of childrenOf(element)) {
    if (node.nodeName === '#text' && 'value' in node) {
      yield* outsideOfStyle(node.value, node.sourceCodeLocation?.startLine)
    }
  }
}

/** Addresses in CSS: `url(…)`, and what `@import` names without it. */
const addresses = /url\(\s*["']?([^"')\s]{0,200})|@import\s+["']([^"'\n]{0,200})/gi

function* outsideOfStyle(css: string, firstLine: number | undefined): Generator<Problem> {
  let line = firstLine
  let counted = 0
  for (const found of css.matchAll(addresses)) {
    const address = found[1] ?? found[2] ?? ''
    if (inside.test(address)) continue
    if (line !== undefined) line += css.slice(counted, found.index).split('\n').length - 1
    counted = found.index
    const message = `the style loads ${shortened(address)}; ${instead}`
    yield { severity: 'error', message, line, about: asAsked(address) }
  }
}

function shortened(address: string): string {
  const text = address.trim().replaceAll(/\s+/g, ' ')
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/** An address as a browser asks for it, where it is whole. */
function asAsked(address: string): string {
  return URL.canParse(address) ? new URL(address).href : address
}
