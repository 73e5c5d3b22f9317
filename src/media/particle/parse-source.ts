import { defaultTreeAdapter, parse, type DefaultTreeAdapterTypes } from 'parse5'

export type ParticleElement = DefaultTreeAdapterTypes.Element
export type ParticleNode = DefaultTreeAdapterTypes.ChildNode

/** Deepest that elements may lie in each other: what Chromium keeps apart, too. */
const maxDepth = 512

/** Most attributes of one tag. */
const maxAttributes = 20_000

/** Why a source is not parsed. */
class LimitExceeded extends Error {}

/** A source as a browser reads it. */
interface ParsedSource {
  /** What lies in its head and its body. */
  readonly roots: readonly ParticleNode[]
  /** The first among them that is a template: the particle. One that lies deeper is none. */
  readonly template: DefaultTreeAdapterTypes.Template | undefined
}

/**
 * The nodes of a source, as a browser would make them, where they are of a measure that is parsed in no time;
 * else the reason. The parser looks through all open elements, and all attributes of a tag, for each new one.
 */
export function parseSource(source: string): ParsedSource | { readonly why: string } {
  if (hasTooManyAttributes(source)) return { why: `a tag has more than ${maxAttributes} attributes` }
  let depth = 0
  const treeAdapter = {
    ...defaultTreeAdapter,
    onItemPush() {
      depth += 1
      if (depth > maxDepth) throw new LimitExceeded()
    },
    onItemPop() {
      depth -= 1
    },
  }
  try {
    const document = parse(source, { sourceCodeLocationInfo: true, treeAdapter })
    const html = document.childNodes.find((node) => isElement(node) && node.tagName === 'html')
    const parts = html && isElement(html) ? html.childNodes.filter(isElement) : []
    const roots = parts.flatMap(({ childNodes }) => childNodes)
    return { roots, template: roots.filter(isElement).find(isTemplate) }
  } catch (error) {
    if (error instanceof LimitExceeded)
      return { why: `elements lie in each other more than ${maxDepth} deep` }
    throw error
  }
}

/** Counts what lies between white space and outside of quotes, in one pass; in scripts it may count too much. */
function hasTooManyAttributes(source: string): boolean {
  let count = -1
  let quote = ''
  for (let at = 0; at < source.length; at += 1) {
    const letter = source.charAt(at)
    if (count < 0) {
      if (letter === '<' && /[a-z]/i.test(source.charAt(at + 1))) count = 0
    } else if (quote !== '') {
      if (letter === quote) quote = ''
    } else if (letter === '>') {
      count = -1
    } else if (letter === '"' || letter === "'") {
      quote = letter
    } else if (letter <= ' ' || letter === '/') {
      count += 1
      if (count > maxAttributes) return true
    }
  }
  return false
}

export function isElement(node: ParticleNode): node is ParticleElement {
  return 'tagName' in node
}

/** What a template holds lies in a fragment of its own. */
export function childNodes(element: ParticleElement): readonly ParticleNode[] {
  return isTemplate(element) ? element.content.childNodes : element.childNodes
}

function isTemplate(element: ParticleElement): element is DefaultTreeAdapterTypes.Template {
  return 'content' in element
}

/** An element and all inside it, in the order of the source. */
export function* descendantElements(root: ParticleElement): Generator<ParticleElement> {
  const waiting: ParticleElement[] = [root]
  for (let element = waiting.pop(); element; element = waiting.pop()) {
    yield element
    for (const child of childNodes(element).toReversed()) if (isElement(child)) waiting.push(child)
  }
}

export function attributeValue(element: ParticleElement, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name)?.value
}

/** The line on which an element, or one of its attributes, begins. */
export function sourceLine(element: ParticleElement, attribute?: string): number | undefined {
  const place = element.sourceCodeLocation
  return (attribute === undefined ? undefined : place?.attrs?.[attribute]?.startLine) ?? place?.startLine
}
