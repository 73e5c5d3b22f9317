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
import { findExternalReferences, type ImageNames } from './external-references.ts'
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

interface ReadParticleOptions {
  /** By default none. */
  readonly imageNames?: ImageNames
}

/** Reads a particle's declaration from its source and finds the problems that are visible without playing it. */
export function readParticle(
  source: string,
  { imageNames = [] }: ReadParticleOptions = {},
): ReadParticleResult {
  const parsed = parseSource(source)
  if ('reason' in parsed) return { declaration: undefined, problems: [sourceError(parsed.reason)] }
  const { roots, template } = parsed
  if (!template) return { declaration: undefined, problems: [sourceError(noTemplateMessage)] }
  const { declaration, problems: declarationProblems } = readDeclaration(template)
  const found = [
    checkTemplate(template),
    declarationProblems,
    checkElements(template, imageNames),
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

function* checkElements(template: ParticleElement, imageNames: ImageNames): Generator<SourceProblem> {
  for (const element of descendantElements(template)) {
    yield* findExternalReferences(element, imageNames)
    yield* checkClock(element, sourceLine(element))
  }
}

function* checkTemplate(template: ParticleElement): Generator<SourceProblem> {
  const line = sourceLine(template)
  if (!template.sourceCodeLocation?.endTag) yield sourceError('the <template> is not closed', line)
  if (!childNodes(template).some(isElement)) yield sourceError('the <template> contains no element', line)
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
