/** A child of an XML element. Empty texts and undefined are omitted. */
type XmlChild = XmlElement | string | number | undefined

/** An XML element. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string | number>>
  readonly children: readonly XmlChild[]
}

/** Returns an element: `xml('rate', {}, xml('timebase', {}, 30))`. */
export function xml(
  name: string,
  attributes: XmlElement['attributes'] = {},
  ...children: readonly XmlChild[]
): XmlElement {
  return { name, attributes, children }
}

/** Returns an XML 1.0 document with a document type, indented by tabs. */
export function xmlDocument(doctype: string, root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE ${doctype}>\n${formatElement(root, '')}`
}

function formatElement({ name, attributes, children }: XmlElement, indent: string): string {
  const start = [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${escapeXml(value)}"`)]
  const given = children.filter((child) => child !== undefined && child !== '')
  const open = `${indent}<${start.join(' ')}`
  if (given.length === 0) return `${open}/>\n`
  const [text] = given
  if (typeof text !== 'object') return `${open}>${escapeXml(text ?? '')}</${name}>\n`
  const inner = given.map((child) =>
    typeof child === 'object' ? formatElement(child, `${indent}\t`) : escapeXml(child ?? ''),
  )
  return `${open}>\n${inner.join('')}${indent}</${name}>\n`
}

/** Characters that XML 1.0 cannot contain, not even escaped. */
const invalidCharacters = /(?![\t\n\r])[\p{Cc}\uFFFE\uFFFF]/gu

const entities: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' },
  ...{ '\t': '&#9;', '\n': '&#10;', '\r': '&#13;' },
}

/** Escapes a text or attribute value. Invalid characters become U+FFFD. */
function escapeXml(value: string | number): string {
  return String(value)
    .toWellFormed()
    .replaceAll(invalidCharacters, '\uFFFD')
    .replaceAll(/[&<>"\t\n\r]/g, (character) => entities[character] ?? character)
}
