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
    yield { severity: 'error', message, line: lineOf(element, name) }
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
  for (const found of css.matchAll(addresses)) {
    const address = found[1] ?? found[2] ?? ''
    if (inside.test(address)) continue
    const line = firstLine === undefined ? undefined : firstLine + linesBefore(css, found.index)
    yield { severity: 'error', message: `the style loads ${shortened(address)}; ${instead}`, line }
  }
}

function linesBefore(text: string, end: number): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}

function shortened(address: string): string {
  const text = address.trim().replaceAll(/\s+/g, ' ')
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
