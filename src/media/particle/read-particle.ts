import {
  attributeValue,
  childNodes,
  descendantElements,
  isElement,
  parseSource,
  type ParticleElement,
  type ParticleNode,
  sourceLine,
} from './parse-source.ts'
import type { SourceProblem } from './problem.ts'

/** Declaration of a particle: attributes of its template or root element. */
export interface ParticleDeclaration {
  readonly compositionId: string
  /** Its own canvas, in pixels. */
  readonly width: number
  readonly height: number
}

/** Result of `readParticle`. */
export interface ReadParticleResult {
  readonly declaration: ParticleDeclaration | undefined
  /** Sorted by line; at most 100, the first ones found. */
  readonly problems: readonly SourceProblem[]
}

/** Limit of problems: a hostile source may have millions. */
const maxSourceProblems = 100

/** Longest side of a particle's canvas in pixels, the same as of a result. */
const maxCanvasSide = 4096

/** Reads a particle's declaration from its source and finds the problems that are visible without playing it. */
export function readParticle(source: string): ReadParticleResult {
  const parsed = parseSource(source)
  if ('reason' in parsed) return { declaration: undefined, problems: [sourceError(parsed.reason)] }
  const { roots, template } = parsed
  if (!template) return { declaration: undefined, problems: [sourceError(noTemplateMessage)] }
  const { declaration, problems: declarationProblems } = readDeclaration(template)
  const found = [
    checkTemplate(template, source),
    declarationProblems,
    checkElements(template),
    checkOutsideTemplate(roots, template),
  ]
  return { declaration, problems: takeProblems(found).toSorted(compareLines) }
}

function takeProblems(found: readonly Iterable<SourceProblem>[]): SourceProblem[] {
  const problems: SourceProblem[] = []
  for (const group of found) {
    for (const problem of group) {
      if (problems.push(problem) === maxSourceProblems) return problems
    }
  }
  return problems
}

const noTemplateMessage =
  'there is no <template> at the root: wrap everything, including styles and scripts, in <template data-composition-id="title" data-width="1920" data-height="1080">'

function* checkElements(template: ParticleElement): Generator<SourceProblem> {
  for (const element of descendantElements(template)) {
    yield* findExternalReferences(element)
    yield* checkClock(element, sourceLine(element))
  }
}

function* checkTemplate(template: ParticleElement, source: string): Generator<SourceProblem> {
  const line = sourceLine(template)
  if (!template.sourceCodeLocation?.endTag) yield sourceError('the <template> is not closed', line)
  if (!childNodes(template).some(isElement)) yield sourceError('the <template> contains no element', line)
  if (!source.includes('__timelines')) {
    const example = 'window.__timelines = { "title": { duration: () => 5, seek: (t) => { … } } }'
    yield { ...sourceError(`no script registers a timeline, such as ${example}`, line), subject: 'timeline' }
  }
}

/** Reads the attributes of the template or of its child element that has data-composition-id, which takes precedence. */
function readDeclaration(template: ParticleElement): ReadParticleResult {
  const root = childNodes(template)
    .filter(isElement)
    .find((element) => attributeValue(element, 'data-composition-id') !== undefined)
  const read = (name: string) => (root && attributeValue(root, name)) ?? attributeValue(template, name)
  const line = sourceLine(root ?? template)
  const id = read('data-composition-id')?.trim() ?? ''
  const sides = ['data-width', 'data-height'].map((name) => ({ name, value: parseSide(read(name)) }))
  const problems = [
    ...(id === '' ? [sourceError('data-composition-id is missing', line)] : []),
    ...sides
      .filter(({ value }) => value === undefined)
      .map(({ name }) =>
        sourceError(`${name} must be a whole number of pixels, 1 to ${maxCanvasSide}`, line),
      ),
  ]
  const [width, height] = sides.map(({ value }) => value)
  const isComplete = id !== '' && width !== undefined && height !== undefined
  return { declaration: isComplete ? { compositionId: id, width, height } : undefined, problems }
}

function parseSide(text: string | undefined): number | undefined {
  const side = /^\s*\d{1,4}\s*$/.test(text ?? '') ? Number(text) : 0
  return side >= 1 && side <= maxCanvasSide ? side : undefined
}

/** Elements that play by their own clock. */
const uncontrolledElements = new Set(['video', 'audio', 'iframe', 'object', 'embed', 'marquee'])

function* checkClock({ tagName }: ParticleElement, line: number | undefined): Generator<SourceProblem> {
  if (!uncontrolledElements.has(tagName)) return
  const message = `<${tagName}> plays by its own clock: put video and sound into tracks, and motion into the timeline`
  yield sourceError(message, line)
}

/** Invisible elements, which are ignored outside the template. */
const ignoredElements = new Set(['meta', 'title', 'base', 'noscript'])

function* checkOutsideTemplate(
  roots: readonly ParticleNode[],
  template: ParticleElement,
): Generator<SourceProblem> {
  for (const node of roots) {
    if (node === template) continue
    const isText = node.nodeName === '#text' && 'value' in node && node.value.trim() !== ''
    const isShown = isElement(node) && !ignoredElements.has(node.tagName)
    if (!isText && !isShown) continue
    const subject = isElement(node) ? `<${node.tagName}>` : 'the text'
    const line = node.sourceCodeLocation?.startLine
    yield { severity: 'warning', message: `${subject} outside the first <template> is ignored`, line }
  }
}

function sourceError(message: string, line?: number): SourceProblem {
  return { severity: 'error', message, line }
}

/** Problems without a line come first. */
function compareLines(one: SourceProblem, other: SourceProblem): number {
  return (one.line ?? 0) - (other.line ?? 0)
}

/** Attributes whose URL is loaded; `href` except on links. */
const loadingAttributes = new Set(['src', 'srcset', 'imagesrcset', 'poster', 'background', 'data', 'href'])
const linkElements = new Set(['a', 'area'])

/** Matches URLs that refer to the source itself. */
const embeddedUrl = /^\s*(data:|#|about:|$)/i

const embedHint = 'a particle has no access to network or files: embed it as a data: URI'

/** Finds external resources that an element would load by its attributes and style. */
function* findExternalReferences(element: ParticleElement): Generator<SourceProblem> {
  const { tagName } = element
  for (const { name, value } of element.attrs) {
    const loads = name === 'data' ? tagName === 'object' : loadingAttributes.has(name)
    if (!loads || (name === 'href' && linkElements.has(tagName)) || embeddedUrl.test(value)) continue
    // Some libraries may be installed; playing the particle reports missing ones.
    if (tagName === 'script' && /^\s*https:/i.test(value)) continue
    const message = `<${tagName} ${name}="${shortenUrl(value)}"> is external; ${embedHint}`
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

/** URLs in CSS: in `url(…)` and after `@import`. */
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

/** Returns a URL as a browser requests it; relative ones unchanged. */
function normalizeUrl(address: string): string {
  return URL.canParse(address) ? new URL(address).href : address
}
