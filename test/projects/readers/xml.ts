import { parseXml, XmlDocumentType, XmlElement as ParsedElement, XmlError } from '@rgrove/parse-xml'
import { ProjectError } from './read-project.ts'

/** An element of an XML file. */
export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
  /** Text of the element itself. */
  readonly text: string
  /** Position in the document for messages, such as `fcpxml/resources/asset[2]`. */
  readonly path: string
  readonly parent: Element | undefined
}

/** Parses an XML file. Requires `<!DOCTYPE root>`. Throws `syntax` when the file is not well-formed. */
export function parseProjectXml(text: string, root: string): Element {
  let document: ReturnType<typeof parseXml>
  try {
    document = parseXml(text, { preserveDocumentType: true })
  } catch (error) {
    if (error instanceof XmlError) throw new ProjectError('syntax', 'file', error.message)
    throw error
  }
  const type = document.children.find((node) => node instanceof XmlDocumentType)
  if (type?.name !== root) throw new ProjectError('syntax', 'file', `<!DOCTYPE ${root}> is missing`)
  if (document.root?.name !== root)
    throw new ProjectError('syntax', 'file', `the root element is not ${root}`)
  return toElement(document.root, undefined, root)
}

function toElement(node: ParsedElement, parent: Element | undefined, path: string): Element {
  const children: Element[] = []
  const text = node.children.map((inner) =>
    'text' in inner && !(inner instanceof ParsedElement) ? inner.text : '',
  )
  const element: Element = {
    name: node.name,
    attributes: node.attributes,
    children,
    text: text.join('').trim(),
    path,
    parent,
  }
  const counts = new Map<string, number>()
  for (const inner of node.children) {
    if (!(inner instanceof ParsedElement)) continue
    const count = (counts.get(inner.name) ?? 0) + 1
    counts.set(inner.name, count)
    children.push(toElement(inner, element, `${path}/${inner.name}${count > 1 ? `[${count}]` : ''}`))
  }
  return element
}

/** Returns the first child with a name. A path such as `media/video` goes down several levels. */
export function child(element: Element | undefined, path: string): Element | undefined {
  return path.split('/').reduce((parent, name) => parent?.children.find((one) => one.name === name), element)
}

/** Returns the children with a name. */
export function childrenNamed(element: Element | undefined, name: string): Element[] {
  return element?.children.filter((one) => one.name === name) ?? []
}

/** Returns all elements inside an element, in document order, itself included. */
export function descendants(element: Element): Element[] {
  return [element, ...element.children.flatMap(descendants)]
}
