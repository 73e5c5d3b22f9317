import { defaultTreeAdapter, parse, type DefaultTreeAdapterTypes } from 'parse5'

export type ParticleElement = DefaultTreeAdapterTypes.Element
export type ParticleNode = DefaultTreeAdapterTypes.ChildNode

/** Deepest nesting of elements; Chromium has the same limit. */
const maxDepth = 512

/** Most attributes of a tag. */
const maxAttributes = 20_000

/** Nesting exceeds `maxDepth`. */
class LimitExceeded extends Error {}

/** A source as a browser parses it. */
interface ParsedSource {
  /** Child nodes of its head and body. */
  readonly roots: readonly ParticleNode[]
  /** The particle: the first template among `roots`. Nested templates do not count. */
  readonly template: DefaultTreeAdapterTypes.Template | undefined
}

/**
 * Parses a source as a browser would. Returns a reason instead if nesting or attributes exceed a limit: the parser's
 * time grows with the square of both.
 */
export function parseSource(source: string): ParsedSource | { readonly reason: string } {
  if (hasTooManyAttributes(source)) return { reason: `a tag has more than ${maxAttributes} attributes` }
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
    const roots = parts.flatMap((part) => part.childNodes)
    return { roots, template: roots.filter(isElement).find(isTemplate) }
  } catch (error) {
    if (error instanceof LimitExceeded)
      return { reason: `elements are nested more than ${maxDepth} levels deep` }
    throw error
  }
}

/** Whether a tag has more than `maxAttributes` attributes. One pass over the text; may overcount in scripts. */
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

/** Returns the child nodes of an element; those of a template are in its content fragment. */
export function childNodes(element: ParticleElement): readonly ParticleNode[] {
  return isTemplate(element) ? element.content.childNodes : element.childNodes
}

function isTemplate(element: ParticleElement): element is DefaultTreeAdapterTypes.Template {
  return 'content' in element
}

/** Yields an element and its descendants in source order. */
export function* descendantElements(root: ParticleElement): Generator<ParticleElement> {
  const pending: ParticleElement[] = [root]
  for (let element = pending.pop(); element; element = pending.pop()) {
    yield element
    for (const child of childNodes(element).toReversed()) if (isElement(child)) pending.push(child)
  }
}

export function attributeValue(element: ParticleElement, name: string): string | undefined {
  return element.attrs.find((attribute) => attribute.name === name)?.value
}

/** Returns the line, from 1, on which an element or one of its attributes begins. */
export function sourceLine(element: ParticleElement, attribute?: string): number | undefined {
  const location = element.sourceCodeLocation
  return (
    (attribute === undefined ? undefined : location?.attrs?.[attribute]?.startLine) ?? location?.startLine
  )
}
